import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Operation } from '../../model/verbs.ts';
import { type AuditEntry, type AuditOptions, createAudit } from './audit.ts';

const CALL: Operation = { verb: 'tools.call', ask: { name: 'add', input: { a: 1, password: 'hunter2' } } };

function run(operation: Operation, options: Partial<AuditOptions> = {}, outcome = 'ok') {
  const entries: AuditEntry[] = [];
  const audit = createAudit({ sink: (entry) => entries.push(entry), ...options });
  const end = audit.begin({
    operation,
    dialect: 'mcp/x',
    principal: { id: 'alice', scopes: [] },
    client: { name: 'client', version: '1' },
    session: 'session-id-of-alice',
  });
  end?.({ outcome, errorId: outcome === 'ok' ? undefined : 'abc', text: outcome === 'ok' ? '{"é":1}' : undefined });
  return { entries, audit };
}

describe('createAudit', () => {
  it('tells who asked for what, how it ended, how much it was and how long it took', () => {
    const [entry] = run(CALL).entries;
    const { time, ms, session, ...rest } = entry as AuditEntry;
    assert.deepEqual(rest, {
      verb: 'tools.call',
      item: 'add',
      outcome: 'ok',
      principal: 'alice',
      client: 'client',
      dialect: 'mcp/x',
      bytesIn: Buffer.byteLength(JSON.stringify(CALL.ask)),
      bytesOut: 8,
    });
    assert.match(time, /^\d{4}-\d\d-\d\dT/);
    assert.ok(ms >= 0);
    assert.match(session ?? '', /^[0-9a-f]{16}$/);
  });

  it('never holds a session id, and arguments only where they are wanted, without secrets and not without bound', () => {
    assert.doesNotMatch(JSON.stringify(run(CALL).entries), /session-id|hunter2|arguments/);
    const long = { ...CALL, ask: { name: 'add', input: { a: 'x'.repeat(1e6), token: 'hunter2' } } } as Operation;
    const text = JSON.stringify(run(long, { arguments: true }).entries);
    assert.match(text, /"arguments":\{"a":"xxx/);
    assert.doesNotMatch(text, /hunter2/);
    assert.ok(text.length < 6000);
  });

  it('says of what is hidden that it is hidden, and of what is not there nothing', () => {
    const [hidden] = run(CALL, { exists: () => true }, 'E_UNKNOWN_TOOL').entries;
    assert.deepEqual([hidden?.hidden, hidden?.errorId, hidden?.bytesOut], [true, 'abc', 0]);
    const [absent] = run(CALL, { exists: () => false }, 'E_UNKNOWN_TOOL').entries;
    assert.equal(absent?.hidden, undefined);
  });

  it('names resources by URI without their secrets, and tasks by a digest', () => {
    const [read] = run({ verb: 'resources.read', ask: { uri: 'https://me:hunter2@x.example/?token=hunter2' } }).entries;
    assert.equal(read?.item, 'https://[redacted]@x.example/?token=[redacted]');
    const [task] = run({ verb: 'tasks.get', ask: { id: 'task-of-alice' } }).entries;
    assert.match(task?.item ?? '', /^[0-9a-f]{16}$/);
    const [ref] = run({
      verb: 'complete',
      ask: { ref: { type: 'resource', uri: 'a://{b}' }, argument: { name: 'b', value: 'c' } },
    }).entries;
    assert.equal(ref?.item, 'a://{b}');
  });

  it('leaves out what is not worth a line', () => {
    assert.deepEqual(run({ verb: 'ping', ask: {} }).entries, []);
    assert.deepEqual(run({ verb: 'tools.list', ask: {} }).entries, []);
  });

  it('lets no failure of whoever keeps the entries reach the call', () => {
    run(CALL, { sink: () => assert.fail('disk full') });
  });

  it('tells of what was refused before it was read', () => {
    const { audit, entries } = run({ verb: 'ping', ask: {} });
    audit.refused({ outcome: 'token', item: 'POST /mcp?token=hunter2', remote: '192.0.2.1', principal: undefined });
    const { time: _, ...rest } = entries[0] as AuditEntry;
    assert.deepEqual(rest, {
      verb: 'http',
      item: 'POST /mcp?token=[redacted]',
      outcome: 'token',
      remote: '192.0.2.1',
      bytesIn: 0,
      bytesOut: 0,
      ms: 0,
    });
  });
});
