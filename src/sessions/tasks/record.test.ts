import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Question } from '../../model/peer.ts';
import type { TaskStatus } from '../../model/tasks.ts';
import { answered, isOver, moved, type TaskRecord, taskOf, viewOf } from './record.ts';

const fresh: TaskRecord = {
  id: 'x',
  status: 'working',
  created: 1000,
  updated: 1000,
  ttlMs: 500,
  questions: {},
  answers: {},
};
const question: Question = { kind: 'roots', ask: {} };
const statuses = fc.constantFrom<TaskStatus>('working', 'input_required', 'completed', 'failed', 'cancelled');

test('a task that is over never changes again, whatever is tried', () => {
  fc.assert(
    fc.property(fc.array(statuses, { maxLength: 20 }), (tries) => {
      let record = fresh;
      for (const status of tries) {
        const next = moved(record, { status }, 2000);
        assert.equal(next === undefined, isOver(record), `${record.status} to ${status}`);
        record = next ?? record;
      }
      const end = tries.find((status) => ['completed', 'failed', 'cancelled'].includes(status));
      assert.equal(record.status, end ?? tries.at(-1) ?? 'working');
    }),
  );
});

test('a change keeps what it does not name, and time does not run back', () => {
  const later = moved(fresh, { status: 'input_required', questions: { a: question } }, 3000);
  assert.deepEqual(later, { ...fresh, status: 'input_required', questions: { a: question }, updated: 3000 });
  assert.equal(moved(later as TaskRecord, { status: 'working' }, 2000)?.updated, 3000);
});

test('answers count only for questions that are open, and the last one lets the task work again', () => {
  const asking: TaskRecord = { ...fresh, status: 'input_required', questions: { a: question, b: question } };
  assert.equal(answered(asking, { c: {}, constructor: {}, __proto__: {} }, 1), undefined);
  const half = answered(asking, { a: { roots: [] }, c: 1 }, 1) as TaskRecord;
  assert.deepEqual(
    [half.status, Object.keys(half.questions), half.answers],
    ['input_required', ['b'], { a: { roots: [] } }],
  );
  assert.equal(answered(half, { a: 'again' }, 1), undefined);
  const whole = answered(half, { b: null }, 1) as TaskRecord;
  assert.deepEqual([whole.status, whole.questions, whole.answers], ['working', {}, { a: { roots: [] }, b: null }]);
  assert.equal(answered({ ...asking, status: 'cancelled' }, { a: {} }, 1), undefined);
});

test('what is shown of a task has no session, no answers, and questions only while it asks', () => {
  const record: TaskRecord = { ...fresh, session: 's', questions: { a: question }, answers: { z: 1 } };
  assert.deepEqual(viewOf(record, 7), {
    id: 'x',
    status: 'working',
    created: '1970-01-01T00:00:01.000Z',
    updated: '1970-01-01T00:00:01.000Z',
    ttlMs: 500,
    pollMs: 7,
  });
  assert.deepEqual(viewOf({ ...record, status: 'input_required' }, 7).questions, { a: question });
  const result = { content: [] };
  assert.deepEqual(viewOf({ ...record, status: 'completed', result }, 7).result, result);
  assert.equal('result' in taskOf({ ...record, result }, 7), false);
});
