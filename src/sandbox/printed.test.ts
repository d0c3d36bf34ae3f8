import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Printed } from './printed.ts';

function follow(options: { bytes?: number; lines?: number } = {}) {
  const source = new PassThrough();
  const lines: string[] = [];
  const left: number[] = [];
  const printed = new Printed(source, {
    bytes: options.bytes ?? 1_000_000,
    lines: options.lines ?? 1000,
    line: (text) => lines.push(text),
    leftOut: (count) => left.push(count),
  });
  return { source, lines, left, printed };
}

test('Printed passes on whole lines, however they arrive', async () => {
  const { source, lines } = follow();
  const text = Buffer.from('Grüße\r\n\nzwei\ndrei');
  for (const byte of text) source.write(Buffer.from([byte]));
  await pause(5);
  assert.deepEqual(lines, ['Grüße', 'zwei']);
  source.end();
  await pause(5);
  assert.deepEqual(lines, ['Grüße', 'zwei', 'drei']);
});

test('Printed cuts a line without end and keeps none of the rest', async () => {
  const { source, lines } = follow();
  for (let n = 0; n < 50; n += 1) source.write('x'.repeat(1000));
  source.write('\nnext\n');
  await pause(20);
  assert.equal(lines[0], `${'x'.repeat(2000)}…`);
  assert.equal(lines[1], 'next');
});

test('Printed counts the lines beyond its limit and says how many they were', async () => {
  const { source, lines, left } = follow({ lines: 3 });
  source.write('a\nb\nc\nd\ne\n');
  source.end();
  await pause(20);
  assert.deepEqual(lines, ['a', 'b', 'c']);
  assert.deepEqual(left, [2]);
});

test('Printed reads nothing more in a second than it may, and goes on in the next', async () => {
  const { source, lines } = follow({ bytes: 10 });
  source.write('0123456789ab\n');
  await pause(5);
  assert.ok(source.isPaused());
  source.write('later\n');
  await pause(100);
  assert.deepEqual(lines, ['0123456789ab']);
  for (let n = 0; n < 200 && lines.length < 2; n += 1) await pause(25);
  assert.deepEqual(lines, ['0123456789ab', 'later']);
});

test('Printed takes what is left at once when its process is gone', async () => {
  const { source, lines, printed } = follow({ bytes: 3 });
  source.write('abcd\n');
  await pause(5);
  source.end('efgh\nijkl\n');
  printed.finish();
  await pause(20);
  assert.deepEqual(lines, ['abcd', 'efgh', 'ijkl']);
});
