import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { limitsWith } from '../model/limits.ts';
import type { Log } from '../model/log.ts';
import { ContextShelf } from '../providers/packs/context/shelf.ts';
import type { LogSource } from '../providers/packs/logs/logs.ts';
import { compileSchema } from '../schema/compile.ts';
import { createMemoryStore } from '../store/memory.ts';
import { loadPacks, PACKS, type PackChoice } from './packs.ts';
import { PRESETS } from './presets/presets.ts';
import { readVariables, switchOf } from './variables.ts';

const nothing = () => ({});
const choice = (env: Record<string, string>, log: Log = () => {}): PackChoice => ({
  variables: readVariables(env),
  log,
  about: async () => ({ config: nothing, metrics: nothing, system: nothing, logs: () => [] }),
  shelf: () => assert.fail('no pack here asks for it'),
  logs: undefined,
});
const uses = PRESETS['hyperserve']?.packs ?? [];
const names = async (env: Record<string, string>, log?: Log) =>
  (await loadPacks(uses, choice(env, log))).map(({ name }) => name);

test('a pack with a switch is loaded only while the switch is on', async () => {
  const root = { HS_MCP_FILE_TOOL_ROOT: tmpdir() };
  assert.deepEqual(await names(root), []);
  for (const on of ['true', '1', 'TRUE', ' true ']) {
    assert.deepEqual(await names({ ...root, HS_MCP_TOOLS_ENABLED: on }), ['files', 'http', 'calculator'], on);
  }
  for (const off of ['false', '0', '', 'yes', 'on', 'x']) {
    assert.deepEqual(await names({ ...root, HS_MCP_TOOLS_ENABLED: off }), [], off);
  }
  assert.deepEqual(await names({ PARLEY_RESOURCES: '1' }), ['server-info']);
});

test('a switch that says neither is named in the log, once', async () => {
  const said: string[] = [];
  await names({ HS_MCP_TOOLS_ENABLED: 'yes' }, (severity, message) => said.push(`${severity} ${message}`));
  assert.equal(said.length, 1);
  assert.match(said[0] ?? '', /^warn .*HS_MCP_TOOLS_ENABLED/);
});

test('without a file root there are no file tools, and the log says what to set', async () => {
  const said: string[] = [];
  const loaded = await names({ HS_MCP_TOOLS_ENABLED: '1' }, (_, message) => said.push(message));
  assert.deepEqual(loaded, ['http', 'calculator']);
  assert.match(said.join(), /file tools stay off: set PARLEY_FILE_ROOT or HS_MCP_FILE_TOOL_ROOT/);
});

test('settings that cannot be used stop the start with their name', async () => {
  const tools = { HS_MCP_TOOLS_ENABLED: '1' };
  await assert.rejects(names({ ...tools, HS_MCP_FILE_TOOL_ROOT: '/no/such/place' }), /file root "\/no\/such\/place"/);
  await assert.rejects(names({ ...tools, PARLEY_HTTP_ALLOW: '10.0.0.0/99' }), /Cannot allow/);
  for (const ports of ['0', '70000', 'http', '80;81'])
    await assert.rejects(names({ ...tools, PARLEY_HTTP_PORTS: ports }), /PARLEY_HTTP_PORTS/, ports);
  await assert.rejects(loadPacks([{ name: 'constructor' }], choice({})), /no such pack/);
});

test('the own name of a variable goes before the names of others', () => {
  const env = { HS_MCP_SERVER_NAME: 'theirs', PARLEY_SERVER_NAME: 'ours', HS_MCP_ENDPOINT: '' };
  assert.deepEqual(readVariables(env), { serverName: 'ours' });
  assert.equal(switchOf('constructor'), undefined);
});

test('every schema of every pack can be compiled: packs themselves compile theirs on first use', async (context) => {
  const store = createMemoryStore({ log: () => {} });
  context.after(() => store.close());
  const everything = {
    ...choice({ HS_MCP_FILE_TOOL_ROOT: tmpdir() }),
    shelf: async () => new ContextShelf(store.records),
    logs: { list: async () => [], read: async () => undefined } as unknown as LogSource,
  };
  const packs = await loadPacks(
    Object.keys(PACKS).map((name) => ({ name })),
    everything,
  );
  assert.deepEqual(packs.map(({ name }) => name).sort(), Object.keys(PACKS).sort());
  let compiled = 0;
  for (const pack of packs) {
    const { tools = [] } = await pack.load({ limits: limitsWith(), log: () => {} });
    for (const { tool } of tools) {
      for (const schema of [tool.inputSchema, tool.outputSchema ?? {}]) {
        assert.doesNotThrow(() => compileSchema(schema), `${pack.name} ${tool.name}`);
        compiled += 1;
      }
    }
  }
  assert.ok(compiled > 60, `${compiled} schemas`);
});
