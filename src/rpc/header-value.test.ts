import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decodeHeader, encodeHeader } from './header-value.ts';

describe('the value of an Mcp header', () => {
  const written: readonly [string | number | boolean, string][] = [
    ['add', 'add'],
    ['file:///a b', 'file:///a b'],
    ['a\tb', 'a\tb'],
    ['', ''],
    [42, '42'],
    [-1, '-1'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    [true, 'true'],
    [false, 'false'],
    [' a', '=?base64?IGE=?='],
    ['a\t', '=?base64?YQk=?='],
    ['zwölf', '=?base64?endCw7Zs?='.replace('endCw7Zs', Buffer.from('zwölf').toString('base64'))],
    ['a\nb', '=?base64?YQpi?='],
    ['a\u007f', '=?base64?YX8=?='],
    ['=?base64?YQ==?=', `=?base64?${Buffer.from('=?base64?YQ==?=').toString('base64')}?=`],
    ['=?base64??=', `=?base64?${Buffer.from('=?base64??=').toString('base64')}?=`],
    ['=?base64?YQ==', '=?base64?YQ=='],
    ['=?BASE64?YQ==?=', '=?BASE64?YQ==?='],
  ];
  for (const [value, header] of written) {
    it(`writes ${JSON.stringify(value)} as ${header} and reads it back`, () => {
      assert.equal(encodeHeader(value), header);
      assert.equal(decodeHeader(header), String(value));
    });
  }

  const read: readonly [string, string | undefined, string][] = [
    ['  add\t', 'add', 'space around the value is not part of it'],
    ['=?base64?YWRk?=', 'add', 'the encoded form is allowed where the plain one would do'],
    ['=?base64??=', '', 'nothing encoded is the empty text'],
    ['=?BASE64?YWRk?=', '=?BASE64?YWRk?=', 'the markers are exact, anything else is plain text'],
    ['=?base64?YQ?=', undefined, 'padding is missing'],
    ['=?base64?YR==?=', undefined, 'bits are left over'],
    ['=?base64?Y Q==?=', undefined, 'a space is not Base64'],
    ['=?base64?Y-_=?=', undefined, 'the URL alphabet is another one'],
    ['=?base64?/w==?=', undefined, 'the bytes are not UTF-8'],
    ['=?base64?7aCA?=', undefined, 'a lone surrogate is not UTF-8'],
    ['=?base64?77u/YQ==?=', '\ufeffa', 'a byte order mark is part of the value'],
    ['zw\u00f6lf', undefined, 'a byte beyond ASCII is not plain'],
    ['a\u0001b', undefined, 'a control character is not plain'],
  ];
  for (const [header, value, reason] of read) {
    it(`reads ${JSON.stringify(header)} as ${JSON.stringify(value)}: ${reason}`, () => {
      assert.equal(decodeHeader(header), value);
    });
  }

  it('survives the way there and back, whatever it is, in characters every proxy lets through', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string()), (text) => {
        const header = encodeHeader(text);
        assert.match(header, /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/);
        assert.equal(decodeHeader(header), text);
        assert.equal(decodeHeader(` ${header}\t`), text);
      }),
      { numRuns: 2000 },
    );
  });
});
