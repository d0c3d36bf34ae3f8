import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bearerIn } from './access-token.ts';

test('a bearer token is read in every spelling the standard allows', () => {
  for (const [header, token] of [
    ['Bearer abc', 'abc'],
    ['bearer   abc  ', 'abc'],
    ['BEARER a-b._~+/9==', 'a-b._~+/9=='],
  ] as const)
    assert.deepEqual(bearerIn(header), { token }, header);
});

test('another scheme is no bearer token, and a bearer token that cannot be one is malformed', () => {
  for (const header of [undefined, '', 'Basic YTpi', 'Bearerish abc', 'Bearer-x abc', 'bear', 'DPoP abc'])
    assert.equal(bearerIn(header), undefined, header);
  for (const header of [
    'Bearer',
    'Bearer ',
    'Bearer,abc',
    'Bearer\tabc',
    'Bearer a b',
    'Bearer ab=c',
    'Bearer =',
    'Bearer ä',
  ])
    assert.equal(bearerIn(header), 'malformed', header);
});

test('reading agrees with the grammar of the standard on every header', () => {
  const grammar = /^bearer +([\w.~+/-]+=*) *$/i;
  const word = fc.stringMatching(/^[\w.~+/=,"ä -]{0,12}$/);
  fc.assert(
    fc.property(fc.constantFrom('Bearer', 'bearer', 'BeArEr'), fc.nat(2), word, (scheme, spaces, rest) => {
      const header = `${scheme}${' '.repeat(spaces)}${rest}`;
      const [, token] = grammar.exec(header) ?? [];
      const read = bearerIn(header);
      assert.equal(typeof read === 'object' ? read.token : undefined, token, header);
    }),
  );
});
