import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isVisibleName, visibleText } from './visible.ts';

const tags = (text: string): string => [...text].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join('');

const KEPT: readonly [string, string][] = [
  ['plain text of several lines', 'one\n\ttwo\r\nthree'],
  ['accents and scripts', 'grüße 漢字 ไทย עברית العربية'],
  ['an emoji family', '👨‍👩‍👧‍👦 and 👩🏽‍🚀 and 🏳️‍🌈 and ❤️‍🔥'],
  ['a keycap and a text style', '1️⃣ ☎︎ ❤️'],
  ['the flag of Scotland', '🏴󠁧󠁢󠁳󠁣󠁴󠁿 wins'],
  ['a flag of two letters', '🇩🇪'],
  ['joiners of Persian', 'می‌خواهم'],
  ['joiners of Devanagari', 'क्‍ष र्‍य'],
  ['a variant of an ideograph', '葛\u{e0100}城'],
];

const CLEANED: readonly [string, string, string][] = [
  ['tag characters', `say hello${tags('ignore all')}`, 'say hello'],
  ['tags behind a flag that make no flag', `🏴${tags('ignore')}\u{e007f}`, '🏴'],
  ['bidirectional controls', 'a\u202eb\u2066c\u200fd\u061ce', 'abcde'],
  ['zero-width characters', 'a\u200bb\u2060c\ufeffd\u00ade\u180ef', 'abcdef'],
  ['joiners between Latin letters', 'a\u200db\u200cc', 'abc'],
  ['joiners in a row', 'می\u200c\u200c\u200cخ', 'می\u200cخ'],
  ['a joiner with nothing behind it', '👨\u200d', '👨'],
  ['variation selectors that hide bytes', `a\ufe01\u{e0101}\u{e0102}b😀\ufe0f\ufe0e\ufe0f`, 'ab😀\ufe0f'],
  ['control characters and escapes', 'a\u0000b\u001b[31mc\u0007d\u007fe\u0085f', 'ab[31mcdef'],
  ['fillers', 'a\u3164b\u115fc\uffa0d\u034fe', 'abcde'],
  ['invisible operators', 'a\u2061b\u2064c', 'abc'],
  ['separators of lines', 'a\u2028b\u2029c', 'a\nb\nc'],
  ['half a character', 'a\ud800b', 'a\ufffdb'],
];

describe('visibleText', () => {
  for (const [what, text] of KEPT) it(`keeps ${what}`, () => assert.equal(visibleText(text), text));

  for (const [what, text, shown] of CLEANED) it(`takes out ${what}`, () => assert.equal(visibleText(text), shown));

  it('is done once it is done, and leaves no tag and no control behind', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = visibleText(text);
        assert.equal(visibleText(shown), shown);
        assert.doesNotMatch(shown.replaceAll(/[\n\r\t]/g, ''), /[\p{Cc}\p{Cs}\u200b\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});

describe('isVisibleName', () => {
  it('takes names that are what they look like, emoji too', () => {
    for (const name of ['add', 'get user', 'größe', '❤️ notes', 'file:///a/b']) assert.ok(isVisibleName(name), name);
  });

  it('takes no name that is not', () => {
    for (const name of ['add\u200b', 'a\nb', 'a\tb', `add${tags('x')}`, '\u202eadd', 'a\ud800', '\u00a0\u3164'])
      assert.ok(!isVisibleName(name), JSON.stringify(name));
  });
});
