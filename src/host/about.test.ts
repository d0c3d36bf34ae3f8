import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitsWith } from '../model/limits.ts';
import { createAbout } from './about.ts';
import { createVitals } from './vitals.ts';

const vitals = createVitals();
vitals.close();
const parts = {
  server: { name: 'server', version: '2', title: 'not part of it' },
  preset: 'hyperserve',
  modules: ['./tools.ts'],
  logLevel: 'info',
  limits: limitsWith({ pageSize: 7 }),
  variables: { tools: 'true', fileRoot: '/srv/files', httpAllow: 'https://me:hunter2@x.example', endpoint: '/mcp' },
  secrets: 2,
  vitals,
  lines: () => ['a line'],
};

test('the configuration told is the one in force, and says of secrets only that there are some', () => {
  const { limits, ...rest } = createAbout(parts).config();
  assert.deepEqual(rest, {
    server: { name: 'server', version: '2' },
    preset: 'hyperserve',
    modules: ['…/tools.ts'],
    logLevel: 'info',
    settings: { tools: 'true', fileRoot: '…/files', httpAllow: 'https://[redacted]@x.example', endpoint: '/mcp' },
    secrets: '[redacted]',
  });
  assert.equal((limits as { pageSize: number }).pageSize, 7);
  const bare = createAbout({ ...parts, preset: undefined, secrets: 0 }).config();
  assert.deepEqual([bare['preset'], bare['secrets']], [undefined, 'none']);
});

test('facts about the machine are numbers and names, and can be sent as JSON', () => {
  const { metrics, system, logs } = createAbout(parts);
  assert.deepEqual(logs(), ['a line']);
  for (const facts of [metrics(), system()]) {
    assert.deepEqual(JSON.parse(JSON.stringify(facts)), facts);
    assert.match(String(facts['timestamp']), /^\d{4}-\d\d-\d\dT/);
  }
  const { memory, machine, node } = system() as Record<string, Record<string, unknown>>;
  assert.ok(Number(memory?.['rss']) > 0 && Number(machine?.['numCPU']) >= 1);
  assert.equal(node?.['version'], process.version);
});
