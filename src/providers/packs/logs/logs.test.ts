import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Call } from '../../../model/call.ts';
import type { JsonObject } from '../../../model/json.ts';
import { createLogs, type LogSource } from './logs.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-logs-'));
after(() => rmSync(folder, { recursive: true }));

const line = (minute: number, level: string, fields: JsonObject): string =>
  `${JSON.stringify({ time: `2030-01-01T00:0${minute}:00.000Z`, level, ...fields })}\n`;

const older = join(folder, 'older.log');
const newer = join(folder, 'newer.log');
writeFileSync(older, line(1, 'info', { message: 'one' }) + line(2, 'warn', { message: 'two' }));
writeFileSync(
  newer,
  line(3, 'error', {
    message: 'three (a+)+$',
    error: { name: 'TypeError', message: 'secret path', stack: 'at secret.ts', cause: { message: 'secret' } },
    token: 'secret',
    password: 'secret',
    call: 'c1.5',
  }) +
    'torn line {\n{"half":\n[]\n' +
    line(4, 'info', { message: 'four' }),
);

let cleared: number | undefined;
const source: LogSource = {
  files: () => [newer, join(folder, 'gone.log'), older],
  stats: () => ({ totalLogged: 4 }),
  clear(days) {
    cleared = days;
    return 2;
  },
};

async function run(name: string, input: JsonObject = {}, from: LogSource | undefined = source): Promise<JsonObject> {
  const { tools = [] } = await createLogs(from).load();
  const entry = tools.find(({ tool }) => tool.name === name);
  assert.ok(entry);
  const checked = await entry.checkInput?.(input);
  if (checked?.ok === false) throw new TypeError(checked.issues.join());
  const { structured } = await entry.run(input, {} as Call);
  return structured as JsonObject;
}

const messages = async (input: JsonObject): Promise<unknown[]> =>
  ((await run('read_logs', input))['logs'] as JsonObject[]).map(({ message }) => message);

const FOUND: readonly (readonly [JsonObject, readonly string[]])[] = [
  [{}, ['one', 'two', 'three (a+)+$', 'four']],
  [{ limit: 2 }, ['three (a+)+$', 'four']],
  [{ limit: 3 }, ['two', 'three (a+)+$', 'four']],
  [{ level: 'warning' }, ['two']],
  [{ level: 'error' }, ['three (a+)+$']],
  [{ level: 'critical' }, []],
  [{ startTime: '2030-01-01T00:02:00Z' }, ['two', 'three (a+)+$', 'four']],
  [{ endTime: '2030-01-01T00:02:00Z' }, ['one', 'two']],
  [{ startTime: '2030-01-01T00:02:00Z', endTime: '2030-01-01T00:03:00Z' }, ['two', 'three (a+)+$']],
  [{ search: 'FOUR' }, ['four']],
  [{ search: '(a+)+$' }, ['three (a+)+$']],
  [{ search: '.*' }, []],
  [{ search: 'secret' }, []],
  [{ search: '' }, ['one', 'two', 'three (a+)+$', 'four']],
];
for (const [input, expected] of FOUND) {
  test(`read_logs ${JSON.stringify(input)}`, async () => assert.deepEqual(await messages(input), expected));
}

test('read_logs shows no secret, and of an error only its name', async () => {
  const answer = await run('read_logs', { level: 'error' });
  assert.deepEqual(answer['logs'], [
    {
      timestamp: '2030-01-01T00:03:00.000Z',
      level: 'error',
      message: 'three (a+)+$',
      error: { name: 'TypeError' },
      token: '[redacted]',
      password: '[redacted]',
      call: 'c1.5',
    },
  ]);
  assert.equal(answer['total'], 1);
});

test('read_logs shows nothing of what foreign code threw, whatever it threw', async () => {
  const foreign = join(folder, 'foreign.log');
  const fields = {
    cause: 'secret',
    reason: 'secret',
    error: { message: 'secret' },
    errors: ['secret'],
    list: [{ token: 'secret' }],
  };
  writeFileSync(foreign, line(5, 'error', { message: 'five', ...fields }));
  const answer = await run('read_logs', {}, { ...source, files: () => [foreign] });
  assert.doesNotMatch(JSON.stringify(answer), /secret/);
  assert.equal((answer['logs'] as JsonObject[])[0]?.['message'], 'five');
});

for (const bad of [{ limit: 0 }, { limit: 1001 }, { limit: 1.5 }, { level: 'loud' }, { search: 5 }, { startTime: 5 }]) {
  test(`read_logs refuses ${JSON.stringify(bad)}`, () => assert.rejects(run('read_logs', bad), TypeError));
}

test('read_logs says how to write a time', async () => {
  await assert.rejects(run('read_logs', { startTime: 'yesterday' }), /Cannot read the time "yesterday"/);
});

test('get_log_stats and clear_old_logs ask the log', async () => {
  assert.deepEqual(await run('get_log_stats'), { success: true, statistics: { totalLogged: 4 } });
  assert.deepEqual(await run('clear_old_logs', { olderThanDays: 3 }), { success: true, deletedFiles: 2 });
  assert.equal(cleared, 3);
  await run('clear_old_logs');
  assert.equal(cleared, undefined);
});

test('without a log file the tools say that there is none', async () => {
  const { tools = [] } = await createLogs(undefined).load();
  for (const { run: call } of tools) {
    await assert.rejects(async () => call({}, {} as Call), /file logging is off/);
  }
});
