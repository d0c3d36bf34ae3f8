// What a person sees of a text and what a model reads of it must be the same, so nothing invisible may stand in what
// others wrote. Joiners that scripts and emoji need are kept where they do something.

/** Nothing but what is on every keyboard. */
const PLAIN = /^[\n\r\t -~]*$/;
/** White space that texts of several lines are laid out with. */
const LAYOUT: ReadonlySet<string> = new Set(['\n', '\r', '\t']);

const ZWNJ = '\u200c';
const ZWJ = '\u200d';
const EMOJI_STYLE = /^[\ufe0e\ufe0f]$/;
const VARIATION = /^[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]$/u;
/** Scripts in which a joiner changes how letters are drawn. */
const JOINING_SCRIPTS = [
  'Arabic',
  'Syriac',
  'Mongolian',
  'Nko',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Khmer',
  'Myanmar',
  'Tibetan',
];

/** Patterns over all of Unicode are dear to make, and most texts are plain. */
function makePatterns() {
  return {
    /** Any character that is invisible, moves others about, or ends a line in a place where nobody expects it. */
    suspect: /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Cs}]/u,
    picture: /^\p{Extended_Pictographic}$/u,
    emoji: /^\p{Emoji}$/u,
    ideograph: /^\p{Ideographic}$/u,
    skinTone: /^\p{Emoji_Modifier}$/u,
    joining: new RegExp(`^[${JOINING_SCRIPTS.map((script) => `\\p{Script_Extensions=${script}}`).join('')}]$`, 'u'),
  };
}

let made: ReturnType<typeof makePatterns> | undefined;

function patterns(): ReturnType<typeof makePatterns> {
  made ??= makePatterns();
  return made;
}

const BLACK_FLAG = '\u{1f3f4}';
/** The flags of England, Scotland and Wales, whose letters are tags behind a black flag. */
const FLAGS: readonly string[] = ['gbeng', 'gbsct', 'gbwls'].map(
  (letters) =>
    `${[...letters].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')}\u{e007f}`,
);

/** The text without anything invisible, the same one where there is nothing. */
export function visibleText(text: string): string {
  if (PLAIN.test(text) || !patterns().suspect.test(text)) return text;
  const characters = [...text.replace(/\p{Cs}/gu, '\ufffd')];
  const kept: string[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const flag = characters[at] === BLACK_FLAG ? flagAfter(characters, at + 1) : 0;
    if (flag > 0) kept.push(...characters.slice(at, at + flag + 1));
    else if (isKept(characters, at)) kept.push(shownAs(characters[at] as string));
    at += flag;
  }
  return kept.join('');
}

/** Whether a name is what it looks like: one line, and nothing invisible in it. */
export function isVisibleName(name: string): boolean {
  return visibleText(name) === name && !/[\n\r\t]/.test(name);
}

/** Separators of lines that no program expects become the one all know. */
function shownAs(character: string): string {
  return character === '\u2028' || character === '\u2029' ? '\n' : character;
}

function isKept(characters: readonly string[], at: number): boolean {
  const character = characters[at] as string;
  if (!patterns().suspect.test(character) || LAYOUT.has(character)) return true;
  if (character === '\u2028' || character === '\u2029') return true;
  if (character === ZWJ || character === ZWNJ) return joins(characters, at);
  return VARIATION.test(character) && varies(characters[at - 1], character);
}

function joins(characters: readonly string[], at: number): boolean {
  const before = baseBefore(characters, at);
  const after = characters[at + 1];
  if (before === undefined) return false;
  if (patterns().joining.test(characters[at - 1] as string)) return true;
  return (
    characters[at] === ZWJ && patterns().picture.test(before) && after !== undefined && patterns().picture.test(after)
  );
}

/** The picture a joiner stands behind, past its style and its skin tone. */
function baseBefore(characters: readonly string[], at: number): string | undefined {
  const before = characters[at - 1];
  const styled = before !== undefined && (EMOJI_STYLE.test(before) || patterns().skinTone.test(before));
  return styled ? characters[at - 2] : before;
}

/** One selector changes how the character before it is drawn; more of them only hide something. */
function varies(before: string | undefined, selector: string): boolean {
  if (before === undefined || VARIATION.test(before)) return false;
  if (EMOJI_STYLE.test(selector)) return patterns().emoji.test(before) || patterns().ideograph.test(before);
  return patterns().ideograph.test(before) || /^[\p{Sm}\p{Script=Myanmar}\p{Script=Mongolian}]$/u.test(before);
}

/** How many tags behind a black flag make it the flag of a country. */
function flagAfter(characters: readonly string[], from: number): number {
  const tags = characters.slice(from, from + 6).join('');
  return FLAGS.includes(tags) ? 6 : 0;
}
