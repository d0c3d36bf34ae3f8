import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Principal } from '../../model/peer.ts';
import { OpenStreams } from './access-streams.ts';

class FakeStream {
  open = true;
  cuts = 0;

  cut(): void {
    this.open = false;
    this.cuts += 1;
  }
}

const by = (method: string, principal: Principal | undefined, said?: string) => ({
  method,
  principal,
  header: (name: string) => (name === 'mcp-method' ? said : undefined),
});

const ada = (expires?: number) => ({ id: 'ada', scopes: [], ...(expires === undefined ? {} : { expires }) });

test('a stream to listen on ends with its token, and one that answers a request has time to', () => {
  let now = 0;
  const streams = new OpenStreams({ graceMs: 500, now: () => now });
  const listening = new FakeStream();
  const answering = new FakeStream();
  const lasting = new FakeStream();
  streams.add(listening, by('GET', ada(1000)));
  streams.add(answering, by('POST', ada(1000)));
  streams.add(lasting, by('GET', ada()));
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
  streams.add(mine, by('GET', ada()));
  streams.add(new FakeStream(), by('POST', ada()));
  streams.add(new FakeStream(), by('GET', undefined));
  assert.deepEqual([streams.size, streams.of('ada'), streams.of('bob')], [3, 1, 0]);
  mine.open = false;
  streams.sweep();
  assert.deepEqual([streams.size, streams.of('ada'), mine.cuts], [2, 0, 0]);
});

test('a subscription by POST is a stream to listen on, and counts and ends as one', () => {
  let now = 0;
  const streams = new OpenStreams({ graceMs: 500, now: () => now });
  const subscribed = new FakeStream();
  const answering = new FakeStream();
  streams.add(subscribed, by('POST', ada(1000), 'subscriptions/listen'));
  streams.add(answering, by('POST', ada(1000), 'tools/call'));
  assert.equal(streams.of('ada'), 1);
  now = 1000;
  streams.sweep();
  assert.deepEqual([subscribed.open, answering.open], [false, true]);
  assert.equal(streams.of('ada'), 0);
  now = 1500;
  streams.sweep();
  assert.equal(streams.size, 0);
});

test('a stream to listen on ends when its token is taken back, and one that answers a request goes on', () => {
  let good = true;
  const streams = new OpenStreams({ graceMs: 500 });
  const listening = new FakeStream();
  const answering = new FakeStream();
  streams.add(listening, { ...by('GET', ada()), good: () => good });
  streams.add(answering, { ...by('POST', ada()), good: () => good });
  streams.sweep();
  assert.equal(listening.open, true);
  good = false;
  streams.sweep();
  assert.deepEqual([listening.open, answering.open], [false, true]);
  answering.cut();
  streams.sweep();
});
