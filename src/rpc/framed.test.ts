import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Framed, KeptText, sizeOf, textOf } from './framed.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const parts = fc.record({ head: text, middle: text, tail: text, kept: fc.boolean(), bytesFirst: fc.boolean() });

test('A framed message says the same as text, as bytes and in pieces, whatever is asked for first', () => {
  fc.assert(
    fc.property(parts, ({ head, middle, tail, kept, bytesFirst }) => {
      const whole = `${head}${middle}${tail}`;
      const message = new Framed({ head, tail }, kept ? new KeptText(middle) : middle);
      if (bytesFirst) assert.deepEqual(message.bytes, Buffer.from(whole));
      assert.deepEqual([message.text, message.length, message.size], [whole, whole.length, Buffer.byteLength(whole)]);
      assert.deepEqual(message.bytes, Buffer.from(whole));
      const pieces = message.pieces('\n').map((piece) => Buffer.from(piece as string));
      assert.deepEqual(Buffer.concat(pieces), Buffer.from(`${whole}\n`));
    }),
  );
});

test('A kept text makes its bytes once and gives its text back from them', () => {
  const kept = new KeptText('täglich ✓ 👋');
  assert.equal(kept.text, 'täglich ✓ 👋');
  const { bytes } = kept;
  assert.equal(kept.bytes, bytes);
  assert.equal(kept.text, 'täglich ✓ 👋');
  assert.equal(kept.length, 'täglich ✓ 👋'.length);
});

test('A framed message within another frame is framed by both', () => {
  const message = new Framed({ head: '[', tail: ']' }, new KeptText('ä')).within({ head: '{', tail: '}' });
  assert.deepEqual([message.text, message.bytes.toString(), message.size], ['{[ä]}', '{[ä]}', 6]);
});

test('What is kept is not copied into the pieces', () => {
  const kept = new KeptText('k'.repeat(20_000));
  const message = new Framed({ head: '[', tail: ']' }, kept);
  assert.equal(message.pieces()[1], kept.bytes);
  assert.deepEqual(message.pieces().slice(2), [']']);
});

test('The bytes of a message are its own, and not the kept ones', () => {
  const kept = new KeptText('kept');
  const message = new Framed({ head: '', tail: '' }, kept);
  message.bytes.fill(0);
  assert.equal(kept.text, 'kept');
});

test('A message has a text and a size, framed or not', () => {
  assert.deepEqual([textOf('ä'), sizeOf('ä')], ['ä', 2]);
  const message = new Framed({ head: '[', tail: ']' }, 'ä');
  assert.deepEqual([textOf(message), sizeOf(message)], ['[ä]', 4]);
});
