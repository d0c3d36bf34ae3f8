// Takes secrets out of what is written down. Every function here takes time that grows with the length of its text
// and no faster: texts come from clients and from foreign errors.

/** What stands in the place of a secret. */
export const REDACTED = '[redacted]';

/** Names, in lower case and without marks between their words, that end so belong to secrets. */
const SECRET_ENDINGS: readonly string[] = [
  'authorization',
  'cookie',
  'cookies',
  'token',
  'tokens',
  'secret',
  'secrets',
  'password',
  'passwd',
  'passphrase',
  'pwd',
  'apikey',
  'accesskey',
  'privatekey',
  'secretkey',
  'signingkey',
  'encryptionkey',
  'credential',
  'credentials',
  'sessionid',
  'requeststate',
  'jwt',
  'bearer',
  'codeverifier',
  'clientassertion',
];
/** Secrets where they name a value of their own; in a sentence they are words like others. */
const SECRET_KEYS: ReadonlySet<string> = new Set(['auth', 'session', 'sealed', 'sid', 'pass']);
/** Names that end like a secret and are none. */
const HARMLESS: ReadonlySet<string> = new Set(['progresstoken', 'maxtokens', 'inputtokens', 'outputtokens']);
const LONGEST_NAME = 64;
const KNOWN_LENGTH = 6;
const MOST_KNOWN = 256;

/** Whether the key of a value is one that secrets go by: `Authorization`, `api_key`, `PARLEY_SECRET`, `session`. */
export function isSecretName(name: string): boolean {
  return SECRET_KEYS.has(name.toLowerCase()) || announcesSecret(name);
}

/** Words come again and again, and are looked at once. */
const judged = new Map<string, boolean>();
const MOST_JUDGED = 2000;

function announcesSecret(word: string): boolean {
  if (word.length > LONGEST_NAME) return false;
  const known = judged.get(word);
  if (known !== undefined) return known;
  if (judged.size >= MOST_JUDGED) judged.clear();
  const announces = endsAsSecret(word);
  judged.set(word, announces);
  return announces;
}

function endsAsSecret(word: string): boolean {
  const plain = word.toLowerCase().replace(/[^a-z0-9]/g, '');
  return SECRET_ENDINGS.some((ending) => plain.endsWith(ending)) && !HARMLESS.has(plain);
}

/** Replaces secrets in a text. */
export type Redact = (text: string) => string;

/** Replaces what looks like a secret, and these values wherever they stand. Values of a few characters are left alone. */
export function createRedact(known: Iterable<string> = []): Redact {
  const values = [...new Set([...known].flatMap(spellings))]
    .filter((value) => value.length >= KNOWN_LENGTH)
    // The longest first, since one may be part of another.
    .sort((a, b) => b.length - a.length)
    .slice(0, MOST_KNOWN);
  if (values.length === 0) return redactShapes;
  return (text) => redactShapes(values.reduce((rest, value) => rest.replaceAll(value, REDACTED), text));
}

/** The values of an environment whose names are those of secrets. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => (value !== undefined && isSecretName(name) ? [value] : []));
}

function spellings(value: string): string[] {
  try {
    return [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)];
  } catch {
    // Half a character has no other spelling.
    return [value];
  }
}

/** Replaces what looks like a secret: values after the name of one, bearer values, signed tokens, passwords in URLs. */
export function redactShapes(text: string): string {
  return redactNamed(text.includes('://') ? redactUrls(text) : text);
}

const AUTHORITY_END = /[\s/?#"'<>\\]/y;

/** `scheme://user:password@host` loses what stands before the `@`. */
function redactUrls(text: string): string {
  const parts: string[] = [];
  let done = 0;
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 3)) {
    const start = at + 3;
    let end = start;
    let last = -1;
    for (AUTHORITY_END.lastIndex = end; end < text.length && !AUTHORITY_END.test(text); AUTHORITY_END.lastIndex = end) {
      if (text[end] === '@') last = end;
      end += 1;
    }
    if (last !== -1) {
      parts.push(text.slice(done, start), REDACTED);
      done = last;
    }
    at = Math.max(at, end - 3);
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(done);
}

/** Runs of what names and tokens are made of. Nothing follows the run in the pattern, so that it never goes back. */
const WORD = /[A-Za-z0-9_.-]+/g;
/** What may stand between a name and its value, once the name ended. */
const LINK = /\\?["']?[ \t]{0,4}(?:=>|[:=])[ \t]{0,4}/y;
const TOKEN = /[A-Za-z0-9_.~+/=-]+/y;
const SCHEME = /^(?:bearer|basic|dpop|negotiate)$/i;
const SPACES = /[ \t]{1,4}/y;
const UNQUOTED = /[^\s"'&,;<>{}()[\]\\]+/y;
const LINE = /[^\r\n"']+/y;
/** Names whose values have spaces and signs in them, up to the end of the line. */
const WHOLE_LINE = /(?:authorization|cookie)$/i;
const SCHEME_LENGTH = 6;

function redactNamed(text: string): string {
  const parts: string[] = [];
  let done = 0;
  WORD.lastIndex = 0;
  for (let word = WORD.exec(text); word !== null; word = WORD.exec(text)) {
    const found = secretAfter(text, word[0], WORD.lastIndex);
    if (found === undefined) continue;
    parts.push(text.slice(done, found.start), REDACTED);
    done = found.end;
    WORD.lastIndex = found.end;
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(done);
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where a secret stands that begins with a word, or that a word announces. */
function secretAfter(text: string, word: string, end: number): Span | undefined {
  if (isJwt(word)) return { start: end - word.length, end };
  if (SCHEME.test(word)) return afterScheme(text, end);
  return announcesSecret(word) ? afterName(text, word, end) : undefined;
}

/** Three parts of base64url, of which the first is JSON. */
function isJwt(word: string): boolean {
  if (word.length < 20 || !word.startsWith('eyJ')) return false;
  return word.indexOf('.', word.indexOf('.') + 1) > 0;
}

function afterScheme(text: string, from: number): Span | undefined {
  const start = endOf(SPACES, text, from);
  if (start === undefined) return undefined;
  const end = endOf(TOKEN, text, start);
  return end === undefined || end - start < SCHEME_LENGTH ? undefined : { start, end };
}

function afterName(text: string, name: string, from: number): Span | undefined {
  const link = endOf(LINK, text, from);
  if (link === undefined) return undefined;
  const quote = /^\\?["']/.exec(text.slice(link, link + 2))?.[0];
  if (quote !== undefined) return quoted(text, quote, link + quote.length);
  const end = endOf(WHOLE_LINE.test(name) ? LINE : UNQUOTED, text, link);
  return end === undefined ? undefined : { start: link, end };
}

/** Up to the quote that ends the value, or the end of the text where none does. */
function quoted(text: string, quote: string, start: number): Span | undefined {
  let end = text.indexOf(quote, start);
  while (end !== -1 && quote.length === 1 && isEscaped(text, end, start)) end = text.indexOf(quote, end + 1);
  if (end === start) return undefined;
  return { start, end: end === -1 ? text.length : end };
}

function isEscaped(text: string, at: number, start: number): boolean {
  let before = at;
  while (before > start && text[before - 1] === '\\') before -= 1;
  return (at - before) % 2 === 1;
}

function endOf(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
