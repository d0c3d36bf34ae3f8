import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Kept, patched, recordOf } from './session-record.ts';

const kept: Kept = { memory: { revision: '2025-06-18', level: 'info', watched: ['a:1'], ready: false }, home: 'x' };

describe('patched', () => {
  it('changes what the patch names and nothing else', () => {
    const { memory, ...rest } = patched(kept, { level: 'error', watch: 'a:2', ready: true, home: 'y', told: 3 });
    assert.deepEqual(memory, { revision: '2025-06-18', level: 'error', watched: ['a:1', 'a:2'], ready: true });
    assert.deepEqual(rest, { home: 'y', told: 3 });
    assert.deepEqual(patched(kept, { unwatch: 'a:1' }).memory.watched, []);
    assert.deepEqual(kept.memory.watched, ['a:1']);
  });

  it('changes nothing more when it is applied again', () => {
    for (const patch of [{ watch: 'a:2' }, { unwatch: 'a:1' }, { level: 'error' }, { ready: true }] as const) {
      const once = patched(kept, patch);
      assert.deepEqual(patched(once, patch), once);
    }
  });
});

describe('recordOf', () => {
  it('keeps the sessions of principals apart, also where names look alike', () => {
    const keys = [undefined, '-', 'a', 'b', 'a/x', ''].map((id) =>
      recordOf('x', id === undefined ? undefined : { id, scopes: [] }),
    );
    assert.equal(new Set(keys).size, keys.length);
  });
});
