import { FAULTS, type FaultCode, type FaultKind } from './fault-codes.ts';
import type { JsonObject } from './json.ts';

export type { FaultCode, FaultKind };

export interface FaultDetails {
  readonly data?: JsonObject;
  readonly cause?: unknown;
}

// Known by this mark and not by its class: a user's file may have got the class from another copy of the package.
const MARK: unique symbol = Symbol.for('parley-mcp.fault');

/** The one error the server throws on purpose. Its message may be shown to a peer; its `cause` never is. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly [MARK] = true;
  readonly code: FaultCode;
  readonly data: JsonObject | undefined;

  constructor(code: FaultCode, message: string, { data, cause }: FaultDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.data = data;
  }

  /** Whether an error is a fault of a code known here, whichever copy of the package made it. */
  static is(error: unknown): error is Fault {
    return typeof error === 'object' && error !== null && MARK in error && isFaultCode((error as Fault).code);
  }

  /** Dialects turn the kind into a number; nothing else does. */
  get kind(): FaultKind {
    return FAULTS[this.code].kind;
  }

  /** Anything thrown by foreign code becomes `E_INTERNAL`, its message kept off the wire. */
  static from(error: unknown): Fault {
    return Fault.is(error) ? error : new Fault('E_INTERNAL', 'Internal error', { cause: error });
  }
}

function isFaultCode(code: unknown): code is FaultCode {
  return typeof code === 'string' && Object.hasOwn(FAULTS, code);
}

/** Thrown by a tool to say in its own words that it failed; the message reaches the client. */
export class ToolError extends Fault {
  constructor(message: string, details?: FaultDetails) {
    super('E_TOOL_ERROR', message, details);
  }
}
