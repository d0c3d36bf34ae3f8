import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../model/limits.ts';
import { silent } from '../model/log.ts';
import { buildCatalog } from './catalog.ts';
import type { Provider, Surroundings } from './provider.ts';
import { createServer } from './server.ts';

const build = (provider: Provider) => buildCatalog([{ provider }], { pageSize: 10, log: silent });

test('a tool that wants to be isolated is refused where nobody knows its file, with words that say what to do', async () => {
  const server = createServer({ name: 's', version: '1' });
  server.tool('far', { isolate: true }, () => 'x');
  await assert.rejects(build(server), {
    name: 'TypeError',
    message: /^Cannot isolate tool "far": .*--module.*isolated/,
  });
});

test('a tool that does not want to be isolated is not', async () => {
  const server = createServer({ name: 's', version: '1' });
  server.tool('near', { isolate: false }, () => 'x');
  assert.equal((await build(server)).counts.tools, 1);
});

test('options of isolation that make no sense are refused when the tool is added', () => {
  const server = createServer({ name: 's', version: '1' });
  const add = () => server.tool('far', { isolate: { cpuMs: -1 } }, () => 'x');
  assert.throws(add, {
    name: 'RangeError',
    message: 'Cannot add tool "far": isolate.cpuMs must be a positive integer',
  });
});

test('every source is told the limits of its server, also below others', async () => {
  const told: (Surroundings | undefined)[] = [];
  const source: Provider = {
    name: 'source',
    load(surroundings) {
      told.push(surroundings);
      return {};
    },
  };
  const server = createServer({ name: 's', version: '1' });
  server.mount('below', source);
  await build(server);
  assert.equal(told[0]?.limits.isolateProcesses, LIMITS.isolateProcesses.default);
  assert.equal(told[0]?.log, silent);
});
