import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { FakeExchange } from '../../../test/http/fake-exchange.ts';
import { KeepAlive } from './keep-alive.ts';

describe('KeepAlive', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
  afterEach(() => mock.timers.reset());

  it('gives every open stream a sign of life, again and again, until it stops', () => {
    const keepAlive = new KeepAlive(100);
    const [one, two] = [new FakeExchange(), new FakeExchange()];
    keepAlive.add(one.stream());
    const second = two.stream();
    keepAlive.add(second);
    mock.timers.tick(100);
    second.end();
    mock.timers.tick(200);
    assert.equal(one.comments.length, 3);
    assert.equal(two.comments.length, 1);
    keepAlive.stop();
    mock.timers.tick(1000);
    assert.equal(one.comments.length, 3);
  });

  it('lets go of a stream that is over', () => {
    const keepAlive = new KeepAlive(100);
    let asked = 0;
    const stream = {
      get open() {
        asked += 1;
        return false;
      },
      send: () => {},
      comment: () => assert.fail('spoke to a stream that is over'),
      end: () => {},
    };
    keepAlive.add(stream);
    mock.timers.tick(500);
    assert.equal(asked, 1);
    keepAlive.stop();
  });

  it('lets go of streams that are over before the timer beats, and keeps those that are open', () => {
    const keepAlive = new KeepAlive(100);
    const open = Array.from({ length: 100 }, () => new FakeExchange().stream());
    for (const stream of open) keepAlive.add(stream);
    for (let round = 0; round < 5000; round += 1) {
      const stream = new FakeExchange().stream();
      keepAlive.add(stream);
      stream.end();
    }
    assert.ok(keepAlive.size >= open.length && keepAlive.size <= 2 * open.length + 2, String(keepAlive.size));
    keepAlive.stop();
    assert.equal(keepAlive.size, 0);
  });
});
