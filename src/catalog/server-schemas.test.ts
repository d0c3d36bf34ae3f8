import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import type { Call } from '../model/call.ts';
import type { Offer } from './provider.ts';
import { createServer } from './server.ts';

const call = {} as Call;
const make = () => createServer({ name: 'home', version: '1.0.0' });

test('a schema is read once, whatever is loaded or updated', async () => {
  let reads = 0;
  const counting = {
    '~standard': {
      version: 1 as const,
      vendor: 'counting',
      validate: (value: unknown) => ({ value }),
      jsonSchema: {
        input() {
          reads += 1;
          return { type: 'object' };
        },
        output: () => ({ type: 'object' }),
      },
    },
  };
  const server = make();
  const handle = server.tool('t', { input: counting }, () => '');
  await server.load();
  await server.load();
  handle.update({ description: 'new' });
  await server.load();
  assert.equal(reads, 1);
});

test('a schema that must be awaited makes the load wait once', async () => {
  const server = make();
  server.tool('t', { input: v.object({ city: v.string() }) }, ({ city }) => city);
  const first = server.load();
  assert.ok(first instanceof Promise);
  const [entry] = (await first).tools ?? [];
  assert.equal(entry?.tool.inputSchema['type'], 'object');
  assert.equal((await entry?.checkInput?.({ city: 1 }))?.ok, false);
  const second = server.load();
  assert.equal(second instanceof Promise, false);
  assert.equal((second as Offer).tools?.[0], entry);
});

test('a promised schema that turns out bad fails the load until it is replaced, and nothing else', async () => {
  const server = make();
  const handle = server.tool('t', { input: v.string() as never }, () => '');
  assert.throws(() => server.tool('u', { input: v.string() as never, output: { type: 5 } }, () => ''), TypeError);
  await new Promise((resolve) => setImmediate(resolve));
  await assert.rejects(async () => server.load(), /Cannot offer tool "t": the input schema must have type "object"/);
  handle.update({ input: v.object({}) as never });
  assert.equal((await server.load()).tools?.length, 1);
});

test('a promised schema that was replaced meanwhile does not come back', async () => {
  const server = make();
  const handle = server.tool('t', { input: v.object({ old: v.string() }) }, () => '');
  handle.update({ input: v.object({ young: v.string() }) as never });
  await server.load();
  const properties = (await server.load()).tools?.[0]?.tool.inputSchema['properties'];
  assert.deepEqual(Object.keys(properties as object), ['young']);
});

test('a removed tool whose schema comes later stays removed', async () => {
  const server = make();
  server.tool('t', { input: v.object({}) }, () => '').remove();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual((await server.load()).tools, []);
});

test('schemas of libraries check what comes and hand on what they make of it', async () => {
  const server = make();
  server.tool('zod', { input: z.object({ n: z.coerce.number().default(2) }) }, ({ n }) => n.toFixed(1));
  server.tool('arktype', { input: type({ n: 'number' }) }, ({ n }) => n.toFixed(1));
  const [zod, ark] = (await server.load()).tools ?? [];
  const checked = await zod?.checkInput?.({});
  assert.deepEqual(checked, { ok: true, value: { n: 2 } });
  assert.deepEqual(zod?.run({ n: 2 }, call), { content: [{ type: 'text', text: '2.0' }] });
  assert.equal((await ark?.checkInput?.({ n: 'x' }))?.ok, false);
  assert.equal(ark?.tool.inputSchema['type'], 'object');
});
