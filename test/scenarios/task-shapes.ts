import type { JsonObject } from '../../src/model/json.ts';
import { isObject } from '../../src/model/json.ts';
import { isModern, KEY, type RevisionId } from './revisions.ts';
import {
  any,
  both,
  exactly,
  integer,
  list,
  mapOf,
  meta,
  object,
  oneOf,
  record,
  type Shape,
  tagged,
  text,
  wireId,
} from './shape.ts';

// What the server may say about tasks, in the two revisions that have them.

const time: Shape = (value, path) =>
  typeof value === 'string' && new Date(value).toISOString() === value ? [] : [`${path} must be a time in ISO 8601`];
const span: Shape = both(integer, (value, path) => ((value as number) > 0 ? [] : [`${path} must be above 0`]));
const statuses = ['working', 'input_required', 'completed', 'failed', 'cancelled'];

/** The members of a task, as the revision spells them. */
export function taskMembers(revision: RevisionId): Record<string, Shape> {
  return {
    taskId: text,
    status: oneOf(...statuses),
    'statusMessage?': text,
    createdAt: time,
    lastUpdatedAt: time,
    ...(isModern(revision) ? { ttlMs: span, 'pollIntervalMs?': span } : { ttl: span, 'pollInterval?': span }),
  };
}

const related = both(meta('io.modelcontextprotocol/related-task'), (value, path) =>
  record({ taskId: text })((value as JsonObject)?.['io.modelcontextprotocol/related-task'], `${path}.related-task`),
);

/** Adds the metadata that says which task a message belongs to, where the message has it. */
export function mayRelate(shape: Shape): Shape {
  return (value, path) => {
    if (!isObject(value) || !isObject(value['_meta'])) return shape(value, path);
    if (value['_meta']['io.modelcontextprotocol/related-task'] === undefined) return shape(value, path);
    const { _meta: said, ...rest } = value;
    return [...related(said, `${path}._meta`), ...shape(rest, path)];
  };
}

interface TaskParts {
  /** The shape of a tool's result. */
  readonly called: Shape;
  /** What a question may look like, by method. */
  readonly questions: Readonly<Record<string, Shape>>;
  /** What every modern result carries. */
  readonly signed: Shape;
}

function detailed(revision: RevisionId, { called, questions }: TaskParts): (rest: Record<string, Shape>) => Shape {
  const asked = mapOf((value, path) => {
    const shape = isObject(value) ? questions[String(value['method'])] : undefined;
    return shape === undefined ? [`${path} asks what it cannot`] : record({ method: any, params: shape })(value, path);
  });
  const error = record({ code: integer, message: text, 'data?': object });
  return (rest) => {
    const members = { ...taskMembers(revision), ...rest };
    // What is inside has no signature: the answer around it has.
    const inner: Shape = (value, path) =>
      isObject(value) ? called({ ...value, _meta: { ...SIGNED, ...(value['_meta'] as JsonObject) } }, path) : [path];
    return tagged('status', {
      working: record(members),
      input_required: record({ ...members, inputRequests: asked }),
      completed: record({ ...members, result: inner }),
      failed: record({ ...members, error }),
      cancelled: record(members),
    });
  };
}

const SIGNED: JsonObject = { [KEY.server]: { name: 'x', version: '1' } };

/** The results of the methods that are about tasks. */
export function taskResults(revision: RevisionId, parts: TaskParts): Record<string, Shape> {
  if (isModern(revision)) {
    const stamp = { resultType: exactly('complete'), _meta: parts.signed };
    const acknowledged = record(stamp);
    return {
      'tasks/get': detailed(revision, parts)(stamp),
      'tasks/update': acknowledged,
      'tasks/cancel': acknowledged,
    };
  }
  if (revision !== '2025-11-25') return {};
  const task = record(taskMembers(revision));
  return {
    'tasks/get': task,
    'tasks/cancel': task,
    'tasks/list': record({ tasks: list(task), 'nextCursor?': text }),
    'tasks/result': both(mayRelate(parts.called), (value, path) =>
      related((value as JsonObject)['_meta'], `${path}._meta`),
    ),
  };
}

/** A ticket, where the result of a call may be one. */
export function ticket(revision: RevisionId, called: Shape, signed: Shape): Shape {
  if (isModern(revision)) {
    const flat = record({ resultType: exactly('task'), ...taskMembers(revision), _meta: signed });
    return (value, path) => ((value as JsonObject)?.['resultType'] === 'task' ? flat : called)(value, path);
  }
  if (revision !== '2025-11-25') return called;
  const nested = record({ task: record(taskMembers(revision)) });
  return (value, path) => ((value as JsonObject)?.['task'] === undefined ? called : nested)(value, path);
}

/** The notices about tasks. */
export function taskNotices(revision: RevisionId, parts: TaskParts): Record<string, Shape> {
  if (revision === '2025-11-25') return { 'notifications/tasks/status': record(taskMembers(revision)) };
  if (!isModern(revision)) return {};
  const tag = both(meta(KEY.subscription), (v, path) => wireId((v as JsonObject)?.[KEY.subscription], path));
  return { 'notifications/tasks': detailed(revision, parts)({ _meta: tag }) };
}
