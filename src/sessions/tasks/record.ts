import type { ToolResult } from '../../model/items.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Question, TaskView } from '../../model/peer.ts';
import type { Task, TaskStatus, TaskTrouble } from '../../model/tasks.ts';

/** A task as the store keeps it. */
export interface TaskRecord {
  readonly id: string;
  readonly status: TaskStatus;
  readonly remark?: string;
  /** Milliseconds since the epoch. */
  readonly created: number;
  readonly updated: number;
  readonly ttlMs: number;
  /** The replica that runs it, where there are several. */
  readonly runner?: string;
  /** Names the session of somebody who has no other name. */
  readonly session?: string;
  /** Open questions, and the answers to those that were answered, by key. */
  readonly questions: Readonly<Record<string, Question>>;
  readonly answers: JsonObject;
  /** The open questions that whoever waits for the result puts to its client, and who has taken them up until when. */
  readonly asked?: Readonly<Record<string, { readonly token: string; readonly until: number } | null>>;
  readonly result?: ToolResult;
  readonly trouble?: TaskTrouble;
}

const ALIVE: readonly TaskStatus[] = ['working', 'input_required', 'completed', 'failed', 'cancelled'];

/** Where a task may go from where it is; one that is over stays as it is. */
// spec 2025-11-25 basic/utilities/tasks#task-status-lifecycle
export const WAYS: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  working: ALIVE,
  input_required: ALIVE,
  completed: [],
  failed: [],
  cancelled: [],
};

export function isOver({ status }: Pick<TaskRecord, 'status'>): boolean {
  return WAYS[status].length === 0;
}

/** The record after a change, or `undefined` when the task may not go there. */
export function moved(record: TaskRecord, change: Partial<TaskRecord>, now: number): TaskRecord | undefined {
  if (!WAYS[record.status].includes(change.status ?? record.status)) return undefined;
  return { ...record, ...change, updated: Math.max(now, record.updated) };
}

/** The record after some of its questions were answered; answers nobody asked for are left out. */
export function answered(record: TaskRecord, answers: JsonObject, now: number): TaskRecord | undefined {
  const keys = Object.keys(answers).filter((key) => Object.hasOwn(record.questions, key));
  if (keys.length === 0) return undefined;
  const questions = Object.fromEntries(Object.entries(record.questions).filter(([key]) => !keys.includes(key)));
  const heard = Object.fromEntries(keys.map((key) => [key, answers[key]]));
  const status = Object.keys(questions).length === 0 ? 'working' : 'input_required';
  return moved(record, { status, questions, answers: { ...record.answers, ...heard } }, now);
}

/** The record of a task whose process is gone. */
export function orphaned(record: TaskRecord, errorId: string, now: number): TaskRecord | undefined {
  const message = 'The server that ran the task is gone';
  const trouble = { code: 'E_CLOSED', message, errorId } as const;
  return moved(record, { status: 'failed', remark: message, questions: {}, trouble }, now);
}

export function taskOf(record: TaskRecord, pollMs: number): Task {
  const { id, status, remark, created, updated, ttlMs } = record;
  return {
    id,
    status,
    ...(remark === undefined ? {} : { remark }),
    created: new Date(created).toISOString(),
    updated: new Date(updated).toISOString(),
    ttlMs,
    pollMs,
  };
}

export function viewOf(record: TaskRecord, pollMs: number): TaskView {
  const { questions, result, trouble } = record;
  return {
    ...taskOf(record, pollMs),
    ...(record.status === 'input_required' ? { questions } : {}),
    ...(result === undefined ? {} : { result }),
    ...(trouble === undefined ? {} : { trouble }),
  };
}

/** A record as JSON, and back: the store brings back what JSON would. */
export function toJson(record: TaskRecord): Json {
  return record as unknown as Json;
}

export function fromJson(value: Json): TaskRecord {
  return value as unknown as TaskRecord;
}
