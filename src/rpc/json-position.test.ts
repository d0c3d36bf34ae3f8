import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { faultPosition } from './json-position.ts';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('faultPosition', () => {
  it('finds a fault exactly where JSON.parse finds one', () => {
    const part = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '\\',
      '\\u12',
      '1',
      '-',
      '0',
      '.5',
      'e+1',
      'true',
      'nul',
      ' ',
      '\t',
      '\f',
      '\u0001',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 9 }), (parts) => {
        const text = parts.join('');
        assert.equal(faultPosition(text) === undefined, isJson(text), JSON.stringify(text));
      }),
      { numRuns: 5000 },
    );
  });

  it('finds the first character that breaks a text that was JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (text, seed) => {
        const place = seed % text.length;
        const broken = `${text.slice(0, place)}\u0001${text.slice(place)}`;
        const position = faultPosition(broken);
        assert.ok(position !== undefined && position <= place, `${position} of ${place} in ${broken}`);
      }),
    );
  });

  const cases: readonly [string, number][] = [
    ['{"a":1,}', 7],
    ['[1 2]', 3],
    ['{a:1}', 1],
    ['{"a" 1}', 5],
    ['"a\nb"', 2],
    ['"\\x"', 1],
    ['01', 1],
    ['[1]]', 3],
    ['[1}', 2],
    ['nope', 0],
    ['{"a":[1,{"b":tru}]}', 13],
  ];
  for (const [text, position] of cases) {
    it(`points at ${position} in ${JSON.stringify(text)}`, () => assert.equal(faultPosition(text), position));
  }
});
