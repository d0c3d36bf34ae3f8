import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Eventually, Json } from '../model/json.ts';
import { receiveBatch } from './batch.ts';
import type { Reply } from './trouble.ts';

const now = (message: Json): Reply => ({ text: JSON.stringify(message) });

describe('receiveBatch', () => {
  it('answers at once when every message is answered at once', () => {
    assert.deepEqual(receiveBatch([1, 2], now), { text: '[1,2]' });
  });

  it('keeps the order of the messages, whichever is answered first', async () => {
    const receive = (message: Json): Eventually<Reply> =>
      message === 1 ? new Promise((resolve) => setTimeout(() => resolve(now(message)), 5)) : now(message);
    assert.deepEqual(await receiveBatch([1, 2], receive), { text: '[1,2]' });
  });

  it('leaves out what wants no answer, and answers nothing when nothing wants one', async () => {
    assert.deepEqual(
      receiveBatch([1, 2], (message) => (message === 1 ? undefined : now(message))),
      { text: '[2]' },
    );
    assert.equal(
      receiveBatch([1, 2], () => undefined),
      undefined,
    );
    assert.equal(await receiveBatch([1], () => Promise.resolve(undefined)), undefined);
  });
});
