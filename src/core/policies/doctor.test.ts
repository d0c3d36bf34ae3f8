import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer, Operation, Verb } from '../../model/verbs.ts';
import type { Dispatch } from '../dispatch.ts';
import type { Turn } from '../turn.ts';
import { doctor } from './doctor.ts';

const CALL: Operation = { verb: 'tools.call', ask: { name: 'a', input: {} } };
const LIST: Operation = { verb: 'tools.list', ask: {} };
const answering = (answer: unknown): Dispatch => doctor((() => answer) as unknown as Dispatch);
const ask = (answer: unknown, operation: Operation = CALL) => answering(answer)(operation, {} as Turn) as Answer<Verb>;
const twice = { content: [{ type: 'text', text: '"{}"' }] };
const once = { content: [{ type: 'text', text: '{}' }] };

test('doctor mends results of tools, at once or when they come', async () => {
  assert.deepEqual(ask(twice), once);
  assert.deepEqual(await ask(Promise.resolve(twice)), once);
});

test('doctor leaves sound results, tickets and other answers as they are', () => {
  const ticket = { task: { id: '1' } };
  const sound = { content: [] };
  assert.equal(ask(sound), sound);
  assert.equal(ask(ticket), ticket);
  assert.equal(ask(twice, LIST), twice);
});

test('doctor turns an answer that is none into a failure', () => {
  for (const none of [undefined, null, 'text', 5]) assert.equal((ask(none) as { failed?: boolean }).failed, true);
});
