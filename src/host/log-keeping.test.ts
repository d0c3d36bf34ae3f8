import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { keepLog, type LogSettings } from './log-keeping.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-keep-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const FILES = { name: 'house', directory: '/nowhere', maxBytes: 1000, retentionDays: 7 };
const settings = (changes: Partial<LogSettings>): LogSettings => ({ logLevel: 'info', variables: {}, ...changes });

/** What is written to stderr meanwhile. */
function stderrOf(work: () => void): string {
  const { write } = process.stderr;
  let said = '';
  process.stderr.write = ((text: string) => {
    said += text;
    return true;
  }) as typeof write;
  try {
    work();
  } finally {
    process.stderr.write = write;
  }
  return said;
}

test('the log is in rotating files where the preset has them, and console prints there too', () => {
  const kept = keepLog(settings({ files: FILES, variables: { logDirectory: folder } }));
  kept.log('info', 'one');
  kept.log('debug', 'too quiet to be written');
  console.log('printed');
  kept.close();
  const [name = ''] = readdirSync(folder);
  const messages = readFileSync(join(folder, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).message);
  assert.deepEqual(messages, ['one', 'printed']);
});

test('the source of the log tools counts what was logged', () => {
  const kept = keepLog(settings({ files: FILES, variables: { logDirectory: folder } }));
  for (const severity of ['info', 'warn', 'warn', 'error'] as const) kept.log(severity, 'x');
  const { bytes, ...counts } = kept.source?.stats() ?? {};
  kept.close();
  assert.ok(Number(bytes) > 0);
  assert.deepEqual(counts, {
    totalLogged: 4,
    errorCount: 1,
    warningCount: 2,
    infoCount: 1,
    rotations: 0,
    cleanups: 0,
    files: 1,
    lostLines: 0,
  });
});

test('the environment sets the size of files, and turns them off', () => {
  const small = keepLog(settings({ files: FILES, variables: { logDirectory: folder, logFileBytes: '50' } }));
  for (let line = 0; line < 4; line++) small.log('info', 'a line of some length');
  small.close();
  assert.equal(readdirSync(join(folder, 'archived')).length, 3);
  const off = keepLog(
    settings({ files: { ...FILES, directory: join(folder, 'off') }, variables: { logFiles: 'false' } }),
  );
  const said = stderrOf(() => off.log('info', 'to stderr'));
  assert.match(said, /to stderr/);
  assert.equal(off.source, undefined);
  assert.equal(existsSync(join(folder, 'off')), false);
});

for (const bad of ['0', '-1', '1.5', 'many', ' ']) {
  test(`a size of "${bad}" is refused by the name of its variable`, () => {
    assert.throws(
      () => keepLog(settings({ files: FILES, variables: { logDirectory: folder, logFileBytes: bad } })),
      /PARLEY_LOG_FILE_BYTES or AIUR_MAX_LOG_FILE_SIZE/,
    );
  });
}

test("an operator's own file wins, and one that cannot be written is told once and thrown never", () => {
  const file = join(folder, 'own.log');
  const kept = keepLog(settings({ files: FILES, logFile: file }));
  kept.log('info', 'mine');
  kept.close();
  assert.match(readFileSync(file, 'utf8'), /"message":"mine"/);
  const said = stderrOf(() => {
    const lost = keepLog(settings({ logFile: join(folder, 'no', 'such', 'folder.log') }));
    lost.log('info', 'a');
    lost.log('info', 'b');
    lost.close();
  });
  assert.equal(said.match(/Cannot write the log/g)?.length, 1);
});

test('a secret the environment had at the start is kept out of the log, also after it left the environment', () => {
  const file = join(folder, 'own.log');
  process.env['KEEPING_TEST_TOKEN'] = 'blue-harbour-at-noon';
  const kept = keepLog(settings({ logFile: file }));
  delete process.env['KEEPING_TEST_TOKEN'];
  kept.log('info', 'It said blue-harbour-at-noon');
  kept.close();
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).message, 'It said [redacted]');
});
