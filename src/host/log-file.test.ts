import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { LogFile, type LogFileOptions } from './log-file.ts';

const DAY_MS = 86_400_000;
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-log-'));
  folders.push(folder);
  return folder;
}

function createFile(options: Partial<LogFileOptions> = {}) {
  const directory = options.directory ?? join(scratch(), 'logs');
  const clock = { time: Date.UTC(2030, 0, 2, 3, 4, 5) };
  const reports: string[] = [];
  const file = new LogFile({
    directory,
    name: 'house',
    maxBytes: 100,
    retentionDays: 7,
    report: (line) => reports.push(line),
    now: () => clock.time,
    ...options,
  });
  return { file, directory, clock, reports, archive: join(directory, 'archived') };
}

const logsIn = (folder: string): string[] =>
  (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.endsWith('.log'));
const age = (path: string, clock: { time: number }, days: number): void => {
  const seconds = (clock.time - days * DAY_MS) / 1000;
  utimesSync(path, seconds, seconds);
};

test('a log file is made with its first line, for its owner alone', () => {
  const { file, directory } = createFile();
  assert.equal(existsSync(directory), false);
  file.write('one\n');
  file.write('two\n');
  assert.deepEqual(logsIn(directory), ['house-2030-01-02-03-04-05.log']);
  assert.equal(readFileSync(join(directory, 'house-2030-01-02-03-04-05.log'), 'utf8'), 'one\ntwo\n');
});

test('a file that would grow over its limit is archived, and no line is torn or lost', () => {
  const { file, directory, archive, clock } = createFile();
  for (let line = 0; line < 20; line++) {
    clock.time += 1000;
    file.write(`${line} ${'x'.repeat(27)}\n`);
  }
  assert.equal(logsIn(directory).length, 1);
  assert.equal(logsIn(archive).length, 6);
  const lines = file.files().flatMap((path) => readFileSync(path, 'utf8').trimEnd().split('\n'));
  assert.deepEqual(
    lines.map((line) => Number(line.split(' ')[0])).sort((a, b) => a - b),
    [...Array(20).keys()],
  );
  assert.equal(file.stats().rotations, 6);
});

test('rotations within one second keep every file, and their order', () => {
  const { file } = createFile();
  for (let line = 0; line < 12; line++) file.write(`${line}${'x'.repeat(90)}\n`);
  const newestFirst = file.files().map((path) => Number.parseInt(readFileSync(path, 'utf8'), 10));
  assert.deepEqual(newestFirst, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
});

test('a line longer than the limit gets a file of its own', () => {
  const { file } = createFile();
  file.write('short\n');
  file.write(`${'x'.repeat(500)}\n`);
  file.write('short\n');
  assert.equal(file.files().length, 3);
});

test('a file is archived after a day', () => {
  const { file, archive, clock } = createFile();
  file.write('a\n');
  clock.time += DAY_MS - 1;
  file.write('b\n');
  assert.equal(logsIn(archive).length, 0);
  clock.time += 1;
  file.write('c\n');
  assert.equal(logsIn(archive).length, 1);
});

test('what an earlier process left is archived at the start, what is not its own stays', () => {
  const { file, directory, archive, clock } = createFile();
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'house-2029-01-01-00-00-00.log'), 'old\n');
  age(join(directory, 'house-2029-01-01-00-00-00.log'), clock, 1);
  writeFileSync(join(directory, 'other.log'), 'other\n');
  file.write('new\n');
  assert.equal(logsIn(archive).length, 1);
  assert.deepEqual(logsIn(directory).sort(), ['house-2030-01-02-03-04-05.log', 'other.log']);
});

test('old files go away, archived ones too, and never the one being written', () => {
  const { file, directory, archive, clock } = createFile();
  file.write('current\n');
  mkdirSync(archive, { recursive: true });
  for (const [name, days] of [
    ['house-a.log', 8],
    ['house-b.log', 6],
    ['house-c.log', 30],
  ] as const) {
    writeFileSync(join(archive, name), 'x\n');
    age(join(archive, name), clock, days);
  }
  const [current = ''] = logsIn(directory);
  age(join(directory, current), clock, 100);
  assert.equal(file.clear(), 2);
  assert.deepEqual(logsIn(archive), ['house-b.log']);
  assert.deepEqual(logsIn(directory), [current]);
  assert.equal(file.clear(1), 1);
  assert.equal(file.stats().cleanups, 3);
});

test('old files are swept while the log is written', () => {
  const { file, archive, clock } = createFile();
  file.write('a\n');
  mkdirSync(archive, { recursive: true });
  writeFileSync(join(archive, 'house-old.log'), 'x\n');
  age(join(archive, 'house-old.log'), clock, 8);
  clock.time += 3_600_000;
  file.write('b\n');
  assert.deepEqual(logsIn(archive), []);
});

test('a place that cannot be written is told once, tried again, and told when it works', () => {
  const folder = scratch();
  const blocked = join(folder, 'blocked');
  writeFileSync(blocked, 'a file where a folder should be');
  const { file, reports, clock } = createFile({ directory: join(blocked, 'logs') });
  for (let line = 0; line < 5; line++) {
    clock.time += 2000;
    assert.doesNotThrow(() => file.write('lost\n'));
  }
  assert.equal(reports.length, 1);
  assert.match(reports[0] ?? '', /^Cannot write the log in ".*": E[A-Z]+; trying on\n$/);
  rmSync(blocked);
  clock.time += 2000;
  file.write('kept\n');
  assert.match(reports[1] ?? '', /is written again; 5 lines were lost\n$/);
  assert.equal(readFileSync(file.files()[0] ?? '', 'utf8'), 'kept\n');
  assert.equal(file.stats().lostLines, 5);
});

test('a log that fails is not tried for every line', () => {
  const folder = scratch();
  const blocked = join(folder, 'blocked');
  writeFileSync(blocked, '');
  const { file, clock } = createFile({ directory: join(blocked, 'logs') });
  file.write('lost\n');
  rmSync(blocked);
  file.write('still lost\n');
  assert.equal(file.stats().lostLines, 2);
  clock.time += 1000;
  file.write('kept\n');
  assert.equal(file.files().length, 1);
});

test('a folder that vanishes is made again', () => {
  const { file, directory, clock } = createFile();
  file.write('a\n');
  rmSync(directory, { recursive: true });
  clock.time += DAY_MS;
  file.write('b\n');
  assert.equal(readFileSync(file.files()[0] ?? '', 'utf8'), 'b\n');
});

test('after it is closed a log takes nothing', () => {
  const { file } = createFile();
  file.write('a\n');
  file.close();
  file.close();
  file.write('b\n');
  assert.equal(readFileSync(file.files()[0] ?? '', 'utf8'), 'a\n');
});

test('two processes that share a folder lose no line to each other', () => {
  const directory = join(scratch(), 'logs');
  const [one, other] = [createFile({ directory }), createFile({ directory })];
  for (const { clock } of [one, other]) clock.time = Date.now();
  one.file.write('one, before\n');
  other.file.write('other\n');
  one.file.write('one, after\n');
  for (const { file, clock } of [one, other]) {
    clock.time += DAY_MS;
    file.write('next day\n');
  }
  const lines = one.file.files().flatMap((path) => readFileSync(path, 'utf8').trimEnd().split('\n'));
  assert.deepEqual(lines.sort(), ['next day', 'next day', 'one, after', 'one, before', 'other']);
});
