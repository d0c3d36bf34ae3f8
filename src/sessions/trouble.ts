import { randomBytes } from 'node:crypto';
import type { Dialect } from '../dialects/dialect.ts';
import { Fault } from '../model/fault.ts';
import type { Log, Severity } from '../model/log.ts';
import type { WireId } from '../model/peer.ts';
import type { Verb } from '../model/verbs.ts';

/** A message for the peer, as wire text. */
export interface Reply {
  readonly text: string;
  /** Set when the request itself was refused. */
  readonly fault?: Fault;
  /** Names the refusal in the log and to the peer. */
  readonly errorId?: string;
  /** The refusal is to a request that spoke for itself. */
  readonly modern?: boolean;
}

export interface Incident {
  readonly dialect: Dialect;
  readonly id: WireId | undefined;
  readonly fault: Fault;
  readonly verb?: Verb;
}

/** Logs a fault under a new error id, and puts it into words for the peer under the same id. */
export function tellFault(log: Log, incident: Incident): Reply {
  const errorId = randomBytes(6).toString('hex');
  try {
    return told(log, incident, errorId);
  } catch (cause) {
    // The data of a fault is what a handler made of it, and may be nothing that can be sent.
    return told(log, { ...incident, fault: new Fault('E_INTERNAL', 'Internal error', { cause }) }, errorId);
  }
}

function told(log: Log, { dialect, id, fault, verb }: Incident, errorId: string): Reply {
  log(severityOf(fault), fault.message, { code: fault.code, errorId, dialect: dialect.name, verb, cause: fault.cause });
  const text = dialect.fault(id, { fault, errorId, verb });
  return { text, fault, errorId, modern: dialect.opens === 'every-request' };
}

function severityOf({ code, kind }: Fault): Severity {
  if (code === 'E_TOOL_ERROR') return 'info';
  return kind === 'internal' ? 'error' : 'debug';
}
