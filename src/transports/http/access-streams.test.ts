import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OpenStreams } from './access-streams.ts';

class FakeStream {
  open = true;
  cuts = 0;

  cut(): void {
    this.open = false;
    this.cuts += 1;
  }
}

const ada = (expires?: number) => ({ id: 'ada', scopes: [], ...(expires === undefined ? {} : { expires }) });

test('a stream to listen on ends with its token, and one that answers a request has time to', () => {
  let now = 0;
  const streams = new OpenStreams({ graceMs: 500, now: () => now });
  const listening = new FakeStream();
  const answering = new FakeStream();
  const lasting = new FakeStream();
  streams.add(listening, { method: 'GET', principal: ada(1000) });
  streams.add(answering, { method: 'POST', principal: ada(1000) });
  streams.add(lasting, { method: 'GET', principal: ada() });
  now = 999;
  streams.sweep();
  assert.deepEqual([listening.open, answering.open, lasting.open], [true, true, true]);
  now = 1000;
  streams.sweep();
  assert.deepEqual([listening.open, answering.open, lasting.open], [false, true, true]);
  now = 1500;
  streams.sweep();
  streams.sweep();
  assert.deepEqual([listening.cuts, answering.cuts, lasting.cuts], [1, 1, 0]);
  assert.equal(streams.size, 1);
  lasting.open = false;
  streams.sweep();
  assert.equal(streams.size, 0);
});

test('streams are counted for those who listen, and not after they were closed', () => {
  const streams = new OpenStreams({ graceMs: 0 });
  const mine = new FakeStream();
  streams.add(mine, { method: 'GET', principal: ada() });
  streams.add(new FakeStream(), { method: 'POST', principal: ada() });
  streams.add(new FakeStream(), { method: 'GET', principal: undefined });
  assert.deepEqual([streams.size, streams.of('ada'), streams.of('bob')], [3, 1, 0]);
  mine.open = false;
  streams.sweep();
  assert.deepEqual([streams.size, streams.of('ada'), mine.cuts], [2, 0, 0]);
});
