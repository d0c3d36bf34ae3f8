import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import type { AuditEntry } from '../core/policies/audit.ts';
import { AuditFile, auditLine, keepAudit } from './audit-file.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-audit-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const entry = (item: string): AuditEntry => ({
  time: '2030-01-01T00:00:00.000Z',
  verb: 'tools.call',
  item,
  outcome: 'ok',
  bytesIn: 1,
  bytesOut: 2,
  ms: 3,
});
const linesOf = (path: string): string[] => readFileSync(path, 'utf8').trim().split('\n');

test('an audit is one line of JSON for each entry, whatever is in it, for the eyes of the owner', () => {
  const path = join(folder, 'new', 'audit.log');
  const file = new AuditFile({ path, log: () => {} });
  const hostile = 'a\n{"forged":true}\u2028\u202e\u001b[2J';
  file.write(entry(hostile));
  file.write(entry('second'));
  file.close();
  const lines = linesOf(path);
  assert.equal(lines.length, 2);
  assert.equal(JSON.parse(lines[0] ?? '').item, hostile);
  assert.doesNotMatch(lines[0] ?? '', /[\p{Cc}\p{Cf}\p{Zl}]/u);
  assert.equal(statSync(path).mode & 0o077, 0);
});

test('an audit goes on where an earlier process left it', () => {
  const path = join(folder, 'audit.log');
  for (const item of ['one', 'two']) {
    const file = new AuditFile({ path, log: () => {} });
    file.write(entry(item));
    file.close();
  }
  assert.equal(linesOf(path).length, 2);
});

test('an audit that has grown is put aside under a date, and the oldest are deleted', () => {
  const path = join(folder, 'audit.log');
  writeFileSync(join(folder, 'audit.log.mine'), 'not ours');
  let now = Date.parse('2030-01-01T00:00:00.000Z');
  const file = new AuditFile({ path, log: () => {}, maxBytes: 200, filesKept: 2, now: () => now });
  for (let at = 0; at < 12; at += 1) {
    file.write(entry(`entry ${at}`));
    now += at % 2 === 0 ? 0 : 1000;
  }
  file.close();
  const names = readdirSync(folder).sort();
  assert.equal(names.filter((name) => name.startsWith('audit.log.2030-')).length, 2);
  assert.ok(names.includes('audit.log') && names.includes('audit.log.mine'));
  const kept = names.filter((name) => name !== 'audit.log.mine').flatMap((name) => linesOf(join(folder, name)));
  for (const line of kept) JSON.parse(line);
  assert.match(linesOf(path).at(-1) ?? '', /entry 11/);
});

test('an audit that cannot be written says so once, keeps what it can, and counts the rest', () => {
  const path = join(folder, 'audit.log');
  mkdirSync(path);
  let now = 0;
  const said: string[] = [];
  const file = new AuditFile({ path, log: (severity, message) => said.push(`${severity} ${message}`), now: () => now });
  for (let at = 0; at < 1003; at += 1) {
    file.write(entry(`entry ${at}`));
    now += 100;
  }
  assert.deepEqual(said, ['error Cannot write the audit: trying on']);
  assert.equal(file.lost, 3);
  rmSync(path, { recursive: true });
  now += 1000;
  file.write(entry('after'));
  file.close();
  const lines = linesOf(path).map((line) => JSON.parse(line));
  assert.equal(lines.length, 1001);
  assert.equal(lines[0].item, 'entry 0');
  assert.equal(lines[999].item, 'entry 999');
  assert.equal(lines[1000].lost, 4);
  assert.deepEqual(said.slice(1), ['warn The audit is written again']);
});

test('an audit that ends unwritten says how many lines are lost', () => {
  const said: unknown[] = [];
  const file = new AuditFile({ path: folder, log: (_, message, fields) => said.push([message, fields?.['lines']]) });
  file.write(entry('one'));
  file.close();
  assert.deepEqual(said.at(-1), ['The audit ends with lines that could not be written', 1]);
});

test('an audit can go to stderr', () => {
  const { write } = process.stderr;
  let said = '';
  process.stderr.write = ((text: string) => {
    said += text;
    return true;
  }) as typeof write;
  try {
    const kept = keepAudit('stderr', () => {});
    kept.write(entry('one'));
    kept.close();
  } finally {
    process.stderr.write = write;
  }
  assert.equal(said, auditLine(entry('one')));
});
