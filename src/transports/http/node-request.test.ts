import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { mock, test } from 'node:test';
import type { Fault } from '../../model/fault.ts';
import type { Body } from './exchange.ts';
import { NodeRequest } from './node-request.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A request whose whole body is waited for, and what was told of it, in order. */
function awaited(length: number, bytesPerSecond = 0) {
  const request = new NodeRequest(new Socket());
  const told: (Body | Fault)[] = [];
  assert.ok(request.whenWhole({ length, bytesPerSecond, done: (outcome) => told.push(outcome) }));
  const complete = (): void => {
    request.complete = true;
    request.push(null);
  };
  return { request, told, complete };
}

const codes = (told: readonly (Body | Fault)[]) => told.map((outcome) => (outcome as Fault).code);

test('a whole body is told once, at once, and not before the request is complete', async () => {
  const one = awaited(5);
  one.request.push(Buffer.from('whole'));
  await settled();
  assert.deepEqual(one.told, [], 'the parser is still at work');
  assert.equal(one.request.readableEnded, false);
  one.complete();
  assert.deepEqual(one.told, ['whole'], 'ASCII comes as text');
  assert.equal(one.request.readableEnded, true, 'nothing is left to be read');
  one.request.destroy();
  await settled();
  assert.equal(one.told.length, 1);
  const several = awaited(5);
  for (const piece of ['ab', 'cd', 'e']) several.request.push(Buffer.from(piece));
  assert.deepEqual(several.told, []);
  several.complete();
  assert.deepEqual(several.told.map(String), ['abcde']);
});

test('a body that is cut off is lost, once, with an error or without', async () => {
  for (const error of [undefined, new Error('cut')]) {
    const { request, told } = awaited(5);
    request.push(Buffer.from('ab'));
    request.destroy(error);
    await settled();
    request.destroy();
    await settled();
    assert.deepEqual(codes(told), ['E_CLOSED']);
  }
});

test('a request that is complete without its body is lost', () => {
  const { request, told, complete } = awaited(5);
  request.push(Buffer.from('ab'));
  complete();
  assert.deepEqual(codes(told), ['E_CLOSED']);
});

test('a body that comes too slowly is refused, and the rest of it is for nobody', async () => {
  let now = 1000;
  const clock = mock.method(performance, 'now', () => now);
  try {
    const { request, told, complete } = awaited(1000, 100);
    for (const wait of [0, 5001, 1, 1]) {
      now += wait;
      request.push(Buffer.from('x'));
    }
    assert.deepEqual(codes(told), ['E_SLOW_BODY']);
    const closed = new Promise((resolve) => request.once('close', resolve));
    request.resume();
    complete();
    await closed;
    assert.equal(told.length, 1);
  } finally {
    clock.mock.restore();
  }
});

test('a body may come in any pieces, however small the first is', () => {
  const whole = Buffer.from(Array.from({ length: 5000 }, (_, at) => at % 251));
  for (const ends of [
    [1, 2, 17, 300, 5000],
    [1, 4999, 5000],
    [4000, 5000],
    [1, 16, 17, 256, 257, 5000],
  ]) {
    const { request, told, complete } = awaited(whole.length);
    let start = 0;
    for (const end of ends) {
      request.push(whole.subarray(start, end));
      start = end;
    }
    complete();
    assert.deepEqual(told, [whole]);
  }
});

test('a body that nobody waited for in time is a stream like any other', async () => {
  const request = new NodeRequest(new Socket());
  request.push(Buffer.from('ab'));
  assert.equal(request.whenWhole({ length: 4, bytesPerSecond: 0, done: () => assert.fail('it was too late') }), false);
  request.push(Buffer.from('cd'));
  request.complete = true;
  request.push(null);
  const chunks = await request.toArray();
  assert.equal(Buffer.concat(chunks).toString(), 'abcd');
  assert.equal(request.readableEnded, true);
});

test('a request that is gone already has no body to wait for', async () => {
  const request = new NodeRequest(new Socket());
  request.destroy();
  assert.equal(request.whenWhole({ length: 4, bytesPerSecond: 0, done: () => assert.fail('nobody is there') }), false);
  await settled();
});

test('a body that is not ASCII comes as the bytes it is, wherever the first such byte stands', () => {
  for (const text of ['é ascii', 'ascii é', `${'x'.repeat(50)}\u{1f600}${'y'.repeat(50)}`]) {
    const whole = Buffer.from(text);
    for (const step of [1, 3, whole.length]) {
      const { request, told, complete } = awaited(whole.length);
      for (let at = 0; at < whole.length; at += step) request.push(whole.subarray(at, at + step));
      complete();
      assert.ok(Buffer.isBuffer(told[0]));
      assert.equal(String(told[0]), text);
    }
  }
});

test('bodies that come in pieces at the same time do not get into each other', () => {
  const bodies = ['a', 'b', 'c'].map((letter) => ({ letter, ...awaited(3000) }));
  for (let round = 0; round < 3; round += 1) {
    for (const { letter, request } of bodies) request.push(Buffer.alloc(1000, letter));
  }
  for (const { letter, told, complete } of bodies) {
    complete();
    assert.equal(String(told[0]), letter.repeat(3000));
  }
});
