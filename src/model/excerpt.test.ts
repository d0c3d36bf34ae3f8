import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ECHO_LENGTH, EXCERPT_LENGTH, echoed, excerpt } from './excerpt.ts';

for (const [name, shorten, length] of [
  ['excerpt', excerpt, EXCERPT_LENGTH],
  ['echoed', echoed, ECHO_LENGTH],
] as const) {
  test(`${name} leaves a text of ${length} characters as it is`, () => {
    const text = 'x'.repeat(length);
    assert.equal(shorten(text), text);
    assert.equal(shorten(''), '');
  });

  test(`${name} cuts a text of four million characters to ${length} and a mark`, () => {
    assert.equal(shorten('x'.repeat(4_194_304)), `${'x'.repeat(length)}…`);
    assert.equal(shorten('x'.repeat(length + 1)), `${'x'.repeat(length)}…`);
  });

  test(`${name} never cuts a character in half`, () => {
    const before = 'x'.repeat(length - 1);
    const text = shorten(`${before}😀tail`);
    assert.equal(text, `${before}…`);
    assert.doesNotThrow(() => encodeURIComponent(text));
    assert.equal(shorten(`${'x'.repeat(length - 2)}😀tail`), `${'x'.repeat(length - 2)}😀…`);
  });
}
