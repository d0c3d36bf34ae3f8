import type { FaultKind } from '../../../model/fault.ts';
import { FAULTS } from '../../../model/fault-codes.ts';
import { isObject, type JsonObject } from '../../../model/json.ts';
import type { TaskView } from '../../../model/peer.ts';
import type { Task, TaskStatus } from '../../../model/tasks.ts';
import type { Ask } from '../../../model/verbs.ts';
import { questionRow } from '../asking.ts';
import type { Codec, NoticeRow, QuestionRows, Row } from '../revision.ts';
import { maybeObject, readObject, readObjects, readText, wrong } from './read.ts';
import { TASKS_EXTENSION } from './tasks-extension.ts';
import { pageAsk, type ResultWords, readNext, readResult, type TicketWords, writeNext, writeResult } from './tools.ts';

// Tasks of the core protocol: the client decides, the result has a method of its own.
// spec 2025-11-25 basic/utilities/tasks

/** Names the task a message belongs to, in `_meta`. */
export const RELATED_TASK_KEY = 'io.modelcontextprotocol/related-task';

/** What the members of a task that hold a time span are called. */
interface TaskWords {
  ttl: string;
  poll: string;
}

const CORE: TaskWords = { ttl: 'ttl', poll: 'pollInterval' };
const EXTENSION: TaskWords = { ttl: 'ttlMs', poll: 'pollIntervalMs' };

const taskAsk: Codec<{ id: string }> = {
  read: (wire) => ({ id: readText(wire, 'taskId') }),
  write: ({ id }) => ({ taskId: id }),
};

const STATUSES: readonly unknown[] = ['working', 'input_required', 'completed', 'failed', 'cancelled'];

function writeTask(task: Task, says: TaskWords): JsonObject {
  const { id, status, remark, created, updated, ttlMs, pollMs } = task;
  return {
    taskId: id,
    status,
    ...(remark === undefined ? {} : { statusMessage: remark }),
    createdAt: created,
    lastUpdatedAt: updated,
    [says.ttl]: ttlMs,
    [says.poll]: pollMs,
  };
}

function readTask(wire: JsonObject, says: TaskWords): Task {
  const { status, statusMessage } = wire;
  if (!STATUSES.includes(status)) throw wrong('status', 'the status of a task');
  const ttl = wire[says.ttl];
  const poll = wire[says.poll];
  return {
    id: readText(wire, 'taskId'),
    status: status as TaskStatus,
    ...(typeof statusMessage === 'string' ? { remark: statusMessage } : {}),
    created: readText(wire, 'createdAt'),
    updated: readText(wire, 'lastUpdatedAt'),
    ttlMs: typeof ttl === 'number' ? ttl : Number.POSITIVE_INFINITY,
    pollMs: typeof poll === 'number' ? poll : 0,
  };
}

/** The wish for a task that rides in a call. */
function readWish(wire: JsonObject): Ask<'tools.call'>['task'] {
  if (wire['task'] === undefined) return undefined;
  const { ttl } = readObject(wire, 'task');
  if (ttl === undefined || ttl === null) return {};
  if (!Number.isSafeInteger(ttl) || (ttl as number) < 0) throw wrong('task.ttl', 'an integer of at least 0');
  return { ttlMs: ttl as number };
}

/** A ticket under a member of its own, for a client that wished for it. */
export const nestedTicket: TicketWords = {
  name: 'nested',
  wish: readWish,
  read: (wire) => (wire['task'] === undefined ? undefined : { task: readTask(readObject(wire, 'task'), CORE) }),
  write: ({ task }) => ({ task: writeTask(task, CORE) }),
};

/** A ticket that is the whole result, told from others by its type. */
export const flatTicket: TicketWords = {
  name: 'flat',
  wish: () => undefined,
  read: (wire) => (wire['resultType'] === 'task' ? { task: readTask(wire, EXTENSION) } : undefined),
  write: ({ task }) => ({ resultType: 'task', ...writeTask(task, EXTENSION) }),
};

export const tasksGet: Row<'tasks.get'> = {
  verb: 'tasks.get',
  ask: taskAsk,
  answer: { read: (wire) => readTask(wire, CORE), write: (view) => writeTask(view, CORE) },
};

export function tasksResult(says: ResultWords): Row<'tasks.result'> {
  return {
    verb: 'tasks.result',
    says: { ...says },
    ask: taskAsk,
    answer: {
      read(wire) {
        const { [RELATED_TASK_KEY]: related, ...own } = maybeObject(wire, '_meta')._meta ?? {};
        const { _meta, ...result } = wire;
        const id = readText(isObject(related) ? related : {}, 'taskId');
        return { id, result: readResult(Object.keys(own).length === 0 ? result : { ...result, _meta: own }) };
      },
      write({ id, result }) {
        const wire = writeResult(result, says);
        return { ...wire, _meta: { ...(wire['_meta'] as JsonObject | undefined), [RELATED_TASK_KEY]: { taskId: id } } };
      },
    },
  };
}

export const tasksList: Row<'tasks.list'> = {
  verb: 'tasks.list',
  ask: pageAsk,
  answer: {
    read: (wire) => ({ tasks: readObjects(wire, 'tasks').map((task) => readTask(task, CORE)), ...readNext(wire) }),
    write: ({ tasks, next }) => ({ tasks: tasks.map((task) => writeTask(task, CORE)), ...writeNext(next) }),
  },
};

export const tasksCancel: Row<'tasks.cancel'> = {
  verb: 'tasks.cancel',
  ask: { read: (wire) => ({ ...taskAsk.read(wire), settled: 'refuse' }), write: taskAsk.write },
  answer: { read: (wire) => readTask(wire, CORE), write: (task) => writeTask(task, CORE) },
};

export const taskStatus: NoticeRow<'task'> = {
  kind: 'task',
  write: ({ view }) => writeTask(view, CORE),
  read: (wire) => readStatus(() => readTask(wire, CORE)),
};

// Tasks as an extension: the server decides, everything about a task is in one answer.

export interface ExtensionWords {
  result: ResultWords;
  codes: Readonly<Record<FaultKind, number>>;
  questions: QuestionRows;
  /** Members every result has. */
  stamp: JsonObject;
}

const needs = () => ({ extensions: { [TASKS_EXTENSION]: {} } });

export function extendedGet(says: ExtensionWords): Row<'tasks.get'> {
  return {
    verb: 'tasks.get',
    named: 'taskId',
    needs,
    ask: taskAsk,
    answer: { read: readExtended, write: (view) => writeExtended(view, says) },
  };
}

export const extendedUpdate: Row<'tasks.update'> = {
  verb: 'tasks.update',
  named: 'taskId',
  needs,
  ask: {
    read: (wire) => ({ ...taskAsk.read(wire), answers: readObject(wire, 'inputResponses') }),
    write: ({ id, answers }) => ({ taskId: id, inputResponses: answers }),
  },
  answer: { read: () => ({}), write: () => ({}) },
};

/** The answer only says that the wish was heard; what came of it is asked for. */
export const extendedCancel: Row<'tasks.cancel'> = {
  verb: 'tasks.cancel',
  named: 'taskId',
  needs,
  ask: { read: (wire) => ({ ...taskAsk.read(wire), settled: 'accept' }), write: taskAsk.write },
  answer: { read: () => NO_TASK, write: () => ({}) },
};

const NO_TASK: Task = { id: '', status: 'cancelled', created: '', updated: '', ttlMs: 0, pollMs: 0 };

export function extendedStatus(says: ExtensionWords): NoticeRow<'task'> {
  return {
    kind: 'task',
    write: ({ view }) => writeExtended(view, says),
    read: (wire) => readStatus(() => readExtended(wire)),
  };
}

// Nobody answers a notice, so nobody can be told it was wrong.
function readStatus(read: () => TaskView): { kind: 'task'; view: TaskView } | undefined {
  try {
    return { kind: 'task', view: read() };
  } catch {
    return undefined;
  }
}

function readExtended(wire: JsonObject): TaskView {
  const task = readTask(wire, EXTENSION);
  return wire['result'] === undefined ? task : { ...task, result: readResult(readObject(wire, 'result')) };
}

function writeExtended(view: TaskView, says: ExtensionWords): JsonObject {
  const { result, trouble, questions = {} } = view;
  const wire = writeTask(view, EXTENSION);
  if (result !== undefined) {
    // A tool that ran and failed has completed: only a request that could not be served has failed.
    return { ...wire, status: 'completed', result: { ...says.stamp, ...writeResult(result, says.result) } };
  }
  if (trouble !== undefined) {
    const { code, message, errorId, data } = trouble;
    return { ...wire, error: { code: says.codes[FAULTS[code].kind], message, data: { ...data, code, errorId } } };
  }
  if (view.status !== 'input_required') return wire;
  const asked = Object.entries(questions).map(([key, question]) => {
    const { method, ask } = questionRow(says, question);
    return [key, { method, params: ask.write(question.ask) }] as const;
  });
  return { ...wire, inputRequests: Object.fromEntries(asked) };
}
