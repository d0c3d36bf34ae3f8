// Reads TypeScript and JavaScript well enough to tell code from comments and strings.

const REGEX_MAY_FOLLOW = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|await|yield))\s*$/;

/** Skips a quoted string; `at` is the opening quote, the result the index after the closing one. */
function skipQuoted(text, at) {
  const quote = text[at];
  let index = at + 1;
  while (index < text.length && text[index] !== quote && text[index] !== '\n') index += text[index] === '\\' ? 2 : 1;
  return index + 1;
}

/** Skips a regular expression; the result is `at` itself when there is none. */
function skipRegex(text, at) {
  const found = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
  found.lastIndex = at;
  const match = found.exec(text);
  return match === null ? at : at + match[0].length;
}

/** Skips the text part of a template; stops after the closing backtick or after `${`. */
function skipTemplate(text, at) {
  let index = at;
  while (index < text.length) {
    if (text[index] === '`') return { end: index + 1, open: false };
    if (text.startsWith('${', index)) return { end: index + 2, open: true };
    index += text[index] === '\\' ? 2 : 1;
  }
  return { end: index, open: false };
}

function skipComment(text, at) {
  const end = text.startsWith('//', at) ? text.indexOf('\n', at) : text.indexOf('*/', at + 2);
  if (end === -1) return text.length;
  return text.startsWith('//', at) ? end : end + 2;
}

/** Finds the next token that is not plain code: its kind, where it ends, and whether a template hole opens. */
function special(text, at) {
  const char = text[at];
  if (text.startsWith('//', at) || text.startsWith('/*', at)) return { kind: 'comment', end: skipComment(text, at) };
  if (char === "'" || char === '"') return { kind: 'string', end: skipQuoted(text, at) };
  if (char === '`') return { kind: 'template', ...skipTemplate(text, at + 1) };
  if (char !== '/' || !REGEX_MAY_FOLLOW.test(text.slice(Math.max(0, at - 40), at))) return undefined;
  const end = skipRegex(text, at);
  return end === at ? undefined : { kind: 'regex', end };
}

const NESTING = { '{': 1, '}': -1 };

/** Splits a source into `{ kind, start, end }` pieces that are not plain code. */
function pieces(text) {
  const found = [];
  const holes = [];
  let depth = 0;
  let at = 0;
  const template = (start, { end, open }) => {
    found.push({ kind: 'template', start, end });
    if (open) holes.push(depth);
    return end;
  };
  while (at < text.length) {
    const char = text[at];
    if (char === '}' && holes.at(-1) === depth) {
      holes.pop();
      at = template(at, skipTemplate(text, at + 1));
      continue;
    }
    depth += NESTING[char] ?? 0;
    const token = special(text, at);
    if (token === undefined) at += 1;
    else if (token.kind === 'template') at = template(at, token);
    else {
      found.push({ kind: token.kind, start: at, end: token.end });
      at = token.end;
    }
  }
  return found;
}

const spaces = (text) => text.replaceAll(/[^\n]/g, ' ');

/**
 * The same text twice, offsets unchanged: `code` without comments, and `bare` without the inside of strings,
 * templates and regular expressions either.
 */
export function separate(text) {
  const code = [];
  const bare = [];
  let from = 0;
  for (const { kind, start, end } of pieces(text)) {
    const whole = text.slice(start, end);
    const blank = kind === 'comment' ? spaces(whole) : `${whole[0]}${spaces(whole.slice(1, -1))}${whole.at(-1)}`;
    code.push(text.slice(from, start), kind === 'comment' ? blank : whole);
    bare.push(text.slice(from, start), blank);
    from = end;
  }
  return { code: code.join('') + text.slice(from), bare: bare.join('') + text.slice(from) };
}

export function lineAt(text, offset) {
  return text.slice(0, offset).split('\n').length;
}

const IMPORTS = [
  /\b(?:import|export)\b[^'"`;=()]*?\bfrom\s*(['"])( *)\1/g,
  /\bimport\s*(['"])( *)\1/g,
  /\bimport\(\s*(['"])( *)\1/g,
];

/** Every module a source names, types included: `{ specifier, line }`. */
export function importsOf(text, { bare } = separate(text)) {
  return IMPORTS.flatMap((pattern) =>
    [...bare.matchAll(pattern)].map((match) => {
      const end = match.index + match[0].lastIndexOf(match[1]);
      return { specifier: text.slice(end - match[2].length, end), line: lineAt(text, match.index + match[0].length) };
    }),
  ).sort((a, b) => a.line - b.line);
}
