import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeExchange } from '../../../test/http/fake-exchange.ts';
import { createServer } from '../../catalog/server.ts';
import { createHost } from '../../host/host.ts';
import { Fault } from '../../model/fault.ts';
import { limitsWith } from '../../model/limits.ts';
import { silent } from '../../model/log.ts';
import { Framed, KeptText } from '../../rpc/framed.ts';
import { Replica } from '../../sessions/replica.ts';
import { Session } from '../../sessions/session.ts';
import { createMemoryStore } from '../../store/memory.ts';
import type { KeepAlive } from './keep-alive.ts';
import { Post, type PostParts } from './post.ts';

const limits = limitsWith({ streamAfterMs: 5, retryMs: 7 });
const { info } = createServer({ name: 'x', version: '1' });
const host = await createHost({ server: info, mounts: [] });

function desk(parts: Partial<PostParts> & { inSession?: boolean } = {}) {
  const { inSession = false, ...rest } = parts;
  const exchange = new FakeExchange();
  const store = createMemoryStore();
  const replica = new Replica(store, { limits, log: silent });
  const { house } = host;
  const room = { house, replica, limits, report: silent, obituary: () => '' };
  const session = new Session(room, { id: 'x', principal: undefined });
  const first = `${replica.id}1`;
  const watched: unknown[] = [];
  const keepAlive = { add: (events: unknown) => void watched.push(events) } as unknown as KeepAlive;
  const post = new Post({
    exchange,
    limits,
    streams: true,
    primes: false,
    ids: [1],
    session: inSession ? session : undefined,
    keepAlive,
    ...rest,
  });
  return { exchange, session, post, watched, first };
}

describe('Post', () => {
  it('is one JSON reply when the answer is all there is', async () => {
    const { exchange, post, watched } = desk();
    await post.finish({ text: '{"a":1}' });
    await post.finish({ text: '{"b":2}' });
    post.send('late');
    assert.deepEqual([exchange.status, exchange.text], [200, '{"a":1}']);
    assert.deepEqual(watched, []);
  });

  it('is 202 when there is no answer, and says when to retry when it is refused for now', async () => {
    const silentOne = desk();
    await silentOne.post.finish(undefined);
    assert.deepEqual([silentOne.exchange.status, silentOne.exchange.text], [202, undefined]);
    const busy = desk();
    await busy.post.finish({ text: '{}', fault: new Fault('E_BUSY', 'no', { data: { retryAfterMs: 2500 } }) });
    assert.deepEqual([busy.exchange.status, busy.exchange.sent], [503, { 'retry-after': '3' }]);
  });

  it('says a long answer whole, as its only word and as the last of a stream', async () => {
    const reply = new Framed(
      { head: '{"id":1,"result":', tail: '}' },
      new KeptText(JSON.stringify('ü'.repeat(20_000))),
    );
    const alone = desk();
    await alone.post.finish(reply);
    assert.deepEqual([alone.exchange.status, alone.exchange.text], [200, reply.text]);
    const last = desk();
    last.post.send('a');
    await last.post.finish(reply);
    assert.deepEqual(last.exchange.events, [{ data: 'a' }, { data: reply.text }]);
  });

  it('keeps the order of what is said while its stream is still being kept', async () => {
    const done: string[] = [];
    let keep: (kept: boolean) => void = () => {};
    const stream = {
      begin: () => new Promise<boolean>((resolve) => (keep = resolve)),
      prime: () => done.push('prime'),
      push: (text: string) => done.push(text),
      detach: () => done.push('detach'),
      finish: (text: string) => done.push(`last ${text}`),
    };
    const session = { streams: { open: () => stream }, conversation: {} } as unknown as Session;
    const { exchange, post } = desk({ session, primes: true });
    post.send('a');
    post.release();
    post.send('b');
    const finished = post.finish({ text: 'c' });
    await Promise.resolve();
    assert.deepEqual([done, exchange.status], [[], undefined], 'nothing is said before it can be kept');
    keep(true);
    await finished;
    assert.deepEqual(done, ['prime', 'a', 'detach', 'b', 'last c']);
  });

  it('becomes a stream as soon as something is said before the answer, and ends after it', async () => {
    const { exchange, post, watched } = desk();
    post.send('a');
    post.send('b');
    await post.finish({ text: 'c' });
    post.send('late');
    assert.deepEqual(exchange.events, [{ data: 'a' }, { data: 'b' }, { data: 'c' }]);
    assert.equal(watched.length, 1);
  });

  it('ends its stream without a word when there is no answer', async () => {
    const { exchange, post, first } = desk({ inSession: true });
    post.send('a');
    await post.finish(undefined);
    assert.deepEqual(exchange.events, [{ id: `${first}.1`, data: 'a' }]);
  });

  it('says on the main stream what its client does not read, and nothing where there is none', async () => {
    const { exchange, post, session } = desk({ streams: false, inSession: true });
    post.send('a');
    await post.finish({ text: '{}' });
    assert.equal(exchange.text, '{}');
    const heard: string[] = [];
    await session.main.attach({ open: true, send: ({ data }) => void heard.push(data), end: () => {} });
    assert.deepEqual(heard, ['a']);
    const alone = desk({ streams: false });
    alone.post.send('a');
    await alone.post.finish({ text: '{}' });
    assert.deepEqual([alone.exchange.text, alone.exchange.events], ['{}', []]);
  });

  it('opens a stream to come back to when the answer takes its time, where streams begin with an id', async () => {
    for (const primes of [true, false]) {
      const { exchange, post, first } = desk({ primes, inSession: true });
      post.expectWait();
      await new Promise((resolve) => setTimeout(resolve, 15));
      assert.deepEqual(exchange.events, primes ? [{ id: `${first}.0`, data: '', retryMs: 7 }] : []);
      await post.finish({ text: '{}' });
      assert.equal(exchange.text, primes ? undefined : '{}');
    }
  });

  it('opens no stream once it is answered', async () => {
    const { exchange, post } = desk({ primes: true, inSession: true });
    post.expectWait();
    await post.finish({ text: '{}' });
    await new Promise((resolve) => setTimeout(resolve, 15));
    assert.deepEqual(exchange.events, []);
    post.release();
    assert.equal(exchange.text, '{}');
  });

  it('lets its client go where it can come back, and keeps the rest for it', async () => {
    const { exchange, post, session, first } = desk({ primes: true, inSession: true });
    post.release();
    post.release();
    post.send('a');
    await post.finish({ text: 'b' });
    assert.deepEqual(exchange.events, [{ id: `${first}.0`, data: '', retryMs: 7 }]);
    const heard: string[] = [];
    await session.listen(`${first}.0`, {
      open: true,
      send: ({ data }) => void heard.push(data),
      end: () => void heard.push('end'),
    });
    assert.deepEqual(heard, ['a', 'b', 'end']);
    for (const parts of [
      { primes: false, inSession: true },
      { primes: true },
      { primes: true, inSession: true, streams: false },
    ]) {
      const other = desk(parts);
      other.post.release();
      assert.equal(other.exchange.status, undefined);
    }
  });
});
