import type { Audit, AuditedEnd } from '../core/policies/audit.ts';
import type { Dialect, Incoming } from '../dialects/dialect.ts';
import type { Answer, Verb } from '../model/verbs.ts';
import type { Reply } from './trouble.ts';
import type { Seat } from './turn.ts';

/** Ends the entry of a request. */
export type Audited = (end: AuditedEnd) => void;

export interface AuditedParts {
  readonly seat: Pick<Seat, 'principal' | 'peer' | 'session'>;
  readonly dialect: Dialect;
  readonly call: Extract<Incoming, { kind: 'call' }>;
}

/** Begins the entry of a request; `undefined` where it is none of those that are audited. */
export function beginAudit(audit: Audit, { seat, dialect, call }: AuditedParts): Audited | undefined {
  const { client } = call.rider.peer ?? seat.peer;
  return audit.begin({
    operation: call.operation,
    dialect: dialect.name,
    principal: seat.principal,
    client,
    session: seat.session,
  });
}

/** What became of a request, as its reply says it. */
export function endOf(reply: Reply | undefined, otherwise: string): AuditedEnd {
  return { outcome: reply?.fault?.code ?? otherwise, errorId: reply?.errorId, text: reply?.text };
}

/** What an answer that is no fault says of the work. */
export function outcomeOf(answer: Answer<Verb>): string {
  if ('task' in answer) return 'task';
  return 'failed' in answer && answer.failed === true ? 'failed' : 'ok';
}

/** Keeps account of a request that was refused before any work began on it. */
export function auditRefusal(audit: Audit | undefined, parts: AuditedParts, reply: Reply): Reply {
  if (audit !== undefined) beginAudit(audit, parts)?.(endOf(reply, 'refused'));
  return reply;
}
