import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../model/fault.ts';
import type { TaskView } from '../../model/peer.ts';
import type { TaskSupport } from '../../model/tasks.ts';
import { textOf } from '../../rpc/framed.ts';
import { createMcp } from './mcp.ts';
import { REVISIONS } from './revisions.ts';
import { defersCall } from './tasking.ts';

const TASKS = 'io.modelcontextprotocol/tasks';
const server = { name: 's', version: '1' };
const dialects = new Map(REVISIONS.map((revision) => [revision.id, createMcp(revision, server)]));
const dialectOf = (id: string) => dialects.get(id) ?? assert.fail(id);

type Case = [tasksBy: 'client' | 'server' | 'never', TaskSupport | undefined, wished: boolean, declared: boolean];

const expected: [Case, boolean | string][] = [
  [['never', 'required', true, true], false],
  [['never', undefined, true, false], false],
  [['client', undefined, false, false], false],
  [['client', undefined, true, true], 'E_TASK_SUPPORT'],
  [['client', 'optional', false, true], false],
  [['client', 'optional', true, false], true],
  [['client', 'required', false, true], 'E_TASK_SUPPORT'],
  [['client', 'required', true, false], true],
  [['server', undefined, true, true], false],
  [['server', 'optional', true, false], false],
  [['server', 'optional', false, true], true],
  [['server', 'required', true, false], 'E_MISSING_CAPABILITY'],
  [['server', 'required', false, true], true],
];

for (const [[tasksBy, support, wished, declared], outcome] of expected) {
  const client = `${declared ? 'declared' : 'undeclared'}, ${wished ? 'wished for' : 'not wished for'}`;
  test(`tasks decided by ${tasksBy}: a tool that is ${support ?? 'no task'}, ${client}, gives ${outcome}`, () => {
    const peer = { client: undefined, capabilities: declared ? { extensions: { [TASKS]: {} } } : {} };
    const decide = (): boolean => defersCall({ tasksBy }, { name: 'x', support, wished, peer });
    if (typeof outcome === 'boolean') assert.equal(decide(), outcome);
    else assert.throws(decide, (error) => error instanceof Fault && error.code === outcome);
  });
}

test('messages of a task name it where the revision says so in metadata', () => {
  const legacy = dialectOf('2025-11-25');
  const related = { 'io.modelcontextprotocol/related-task': { taskId: 't' } };
  const asked = JSON.parse(legacy.ask(1, { kind: 'roots', ask: {} }, 't'));
  assert.deepEqual(asked.params, { _meta: related });
  const told = JSON.parse(legacy.tell({ kind: 'progress', token: 'p', done: 1, task: 't' }) ?? '');
  assert.deepEqual(told.params, { progressToken: 'p', progress: 1, _meta: related });
  const plain = JSON.parse(legacy.tell({ kind: 'log', level: 'info', data: 1 }) ?? '');
  assert.equal(plain.params._meta, undefined);
});

const view = { id: 't', status: 'working', created: 'c', updated: 'u', ttlMs: 1, pollMs: 2 } as const;

test('only revisions that have tasks can say anything about them', () => {
  for (const [id, dialect] of dialects) {
    const said = dialect.tell({ kind: 'task', view });
    assert.equal(said !== undefined, id >= '2025-11-25', id);
    const incoming = dialect.read({
      jsonrpc: '2.0',
      id: 1,
      method: 'tasks/get',
      params: {
        taskId: 't',
        _meta: {
          'io.modelcontextprotocol/protocolVersion': id,
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    });
    assert.equal(incoming.kind, id >= '2025-11-25' ? 'call' : 'refused', id);
  }
});

test('a failed tool is a failed task in one revision and a completed one in the other', () => {
  const failed: TaskView = { ...view, status: 'failed', result: { content: [], failed: true } };
  const operation = { verb: 'tasks.get', ask: { id: 't' } } as const;
  const shown = (id: string) => JSON.parse(textOf(dialectOf(id).answer(1, operation, failed))).result;
  assert.equal(shown('2025-11-25').status, 'failed');
  assert.equal(shown('2025-11-25').result, undefined);
  assert.equal(shown('2026-07-28').status, 'completed');
  assert.deepEqual(shown('2026-07-28').result, { resultType: 'complete', content: [], isError: true });
});

test('a ticket cannot be said where there are no tasks', () => {
  const operation = { verb: 'tools.call', ask: { name: 'x', input: {} } } as const;
  assert.throws(() => dialectOf('2025-06-18').answer(1, operation, { task: view }), TypeError);
});

test('a request that lacks the extension is read, and says what it lacks', () => {
  const meta = (capabilities: object) => ({
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities as Record<string, never>,
  });
  const lacks = (method: string, params: object, capabilities = {}) => {
    const incoming = dialectOf('2026-07-28').read({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: { ...(params as Record<string, never>), _meta: meta(capabilities) },
    });
    return incoming.kind === 'call' ? incoming.rider.lacks?.data?.['requiredCapabilities'] : incoming.kind;
  };
  const needed = { extensions: { [TASKS]: {} } };
  assert.deepEqual(lacks('tasks/get', { taskId: 't' }), needed);
  assert.deepEqual(lacks('tasks/cancel', { taskId: 't' }), needed);
  assert.deepEqual(lacks('tasks/update', { taskId: 't', inputResponses: {} }), needed);
  assert.deepEqual(lacks('subscriptions/listen', { notifications: { taskIds: ['t'] } }), needed);
  assert.equal(lacks('subscriptions/listen', { notifications: {} }), undefined);
  assert.equal(lacks('tasks/get', { taskId: 't' }, needed), undefined);
});
