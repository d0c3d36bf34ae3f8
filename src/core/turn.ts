import type { Call } from '../model/call.ts';
import type { Fault } from '../model/fault.ts';

/** A call as the core sees it: what its handler may do, and what may be done to it. */
export interface Turn extends Call {
  /** Fires the call's signal: nobody waits for the handler any more. */
  abort(reason: Fault): void;
  /** What stood beside the request under a name, such as an HTTP header; `null` when it could not be read. */
  readonly beside: ((name: string) => string | null | undefined) | undefined;
  /** Milliseconds the call has spent waiting for its peer to answer questions. */
  waited(): number;
}
