import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silent } from '../model/log.ts';
import { flatten } from './flatten.ts';
import { createServer } from './server.ts';
import type { ToolSpec } from './specs.ts';

const create = () => createServer({ name: 'bounded', version: '1.0.0' });
const bounded = { rate: { perSecond: 1, burst: 5 }, concurrency: 4 };

describe('the bounds of a tool', () => {
  it('stay with it under every namespace', async () => {
    const server = create();
    server.tool('both', bounded, () => 'x');
    server.tool('rated', { rate: bounded.rate }, () => 'x');
    server.tool('narrow', { concurrency: 1 }, () => 'x');
    server.tool('free', {}, () => 'x');
    const { tools } = await flatten([{ provider: server, namespace: 'far' }], { log: silent });
    const found = Object.fromEntries([...tools].map(([name, { bounds }]) => [name, bounds]));
    assert.deepEqual(found, {
      far__both: bounded,
      far__rated: { rate: bounded.rate },
      far__narrow: { concurrency: 1 },
      far__free: undefined,
    });
  });

  it('are never told to clients', async () => {
    const server = create();
    server.tool('both', bounded, () => 'x');
    const { tools } = await flatten([{ provider: server }], { log: silent });
    assert.deepEqual(tools.get('both')?.tool, { name: 'both', inputSchema: { type: 'object' } });
  });

  it('change with an update', async () => {
    const server = create();
    const handle = server.tool('both', bounded, () => 'x');
    handle.update({ concurrency: 9 });
    const { tools } = await flatten([{ provider: server }], { log: silent });
    assert.deepEqual(tools.get('both')?.bounds, { ...bounded, concurrency: 9 });
  });

  for (const [spec, why] of [
    [{ concurrency: 0 }, /concurrency must be a positive integer/],
    [{ concurrency: 1.5 }, /concurrency must be/],
    [{ concurrency: Number.POSITIVE_INFINITY }, /concurrency must be/],
    [{ rate: { perSecond: 0, burst: 1 } }, /"tool": the rate must be/],
    [{ rate: { perSecond: 1, burst: 0 } }, /burst must be/],
    [{ rate: { perSecond: 1 } as never }, /burst must be/],
  ] as readonly (readonly [ToolSpec, RegExp])[]) {
    it(`are refused when the tool is added: ${JSON.stringify(spec)}`, () => {
      assert.throws(() => create().tool('tool', spec, () => 'x'), { name: 'RangeError', message: why });
    });
  }
});
