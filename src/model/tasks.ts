import type { FaultCode } from './fault.ts';
import type { ToolResult } from './items.ts';
import type { JsonObject } from './json.ts';

/** Whether a tool may or must be called as a task. */
export type TaskSupport = 'optional' | 'required';

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** What anybody may know of a task besides what came of it. */
export interface Task {
  readonly id: string;
  readonly status: TaskStatus;
  /** Says more about the status, to people. */
  readonly remark?: string;
  /** Times are ISO 8601. */
  readonly created: string;
  readonly updated: string;
  /** How long the task is kept, from its creation. */
  readonly ttlMs: number;
  /** How often it is worth asking. */
  readonly pollMs: number;
}

/** A fault as it is kept until somebody asks for it. */
export interface TaskTrouble extends JsonObject {
  code: FaultCode;
  message: string;
  errorId: string;
  data?: JsonObject;
}

/** Given in place of a result: the work goes on, and the result is asked for later. */
export interface TaskTicket {
  readonly task: Task;
}

export function isTicket(answer: ToolResult | TaskTicket): answer is TaskTicket {
  return 'task' in answer;
}
