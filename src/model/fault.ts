import { FAULTS, type FaultCode, type FaultKind } from './fault-codes.ts';
import type { JsonObject } from './json.ts';

export type { FaultCode, FaultKind };

export interface FaultDetails {
  readonly data?: JsonObject;
  readonly cause?: unknown;
}

/** The one error the server throws on purpose. Its message may be shown to a peer; its `cause` never is. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;
  readonly data: JsonObject | undefined;

  constructor(code: FaultCode, message: string, { data, cause }: FaultDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.data = data;
  }

  /** Dialects turn the kind into a number; nothing else does. */
  get kind(): FaultKind {
    return FAULTS[this.code].kind;
  }

  /** Anything thrown by foreign code becomes `E_INTERNAL`, its message kept off the wire. */
  static from(error: unknown): Fault {
    return error instanceof Fault ? error : new Fault('E_INTERNAL', 'Internal error', { cause: error });
  }
}

/** Thrown by a tool to say in its own words that it failed; the message reaches the client. */
export class ToolError extends Fault {
  constructor(message: string, details?: FaultDetails) {
    super('E_TOOL_ERROR', message, details);
  }
}
