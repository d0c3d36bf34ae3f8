import type { Call } from '../model/call.ts';
import type { Fault } from '../model/fault.ts';
import type { ToolResult } from '../model/items.ts';
import type { Eventually } from '../model/json.ts';
import type { TaskSupport } from '../model/tasks.ts';
import type { Answer, Ask } from '../model/verbs.ts';

/** Work that may outlast its request. */
export interface Job {
  readonly name: string;
  readonly support: TaskSupport | undefined;
  readonly wish: Ask<'tools.call'>['task'];
  /** The handler says when the client may go. */
  readonly startsReleased: boolean;
  run(): Eventually<ToolResult>;
}

/** A call as the core sees it: what its handler may do, and what may be done to it. */
export interface Turn extends Call {
  /** Fires the call's signal: nobody waits for the handler any more. */
  abort(reason: Fault): void;
  /** Has one listener called when that happens: the signal does the same, and is made only for handlers that use it. */
  onAbort(listener: () => void): void;
  /** What stood beside the request under a name, such as an HTTP header; `null` when it could not be read. */
  readonly beside: ((name: string) => string | null | undefined) | undefined;
  /** Why the request cannot be served where what it asks for is offered. */
  readonly lacks: Fault | undefined;
  /** Answers the request with a ticket while the work goes on; `undefined` when the peer is to wait for the result. */
  defer(job: Job): Eventually<Answer<'tools.call'>> | undefined;
  /** Milliseconds the call has spent waiting for its peer to answer questions. */
  waited(): number;
}
