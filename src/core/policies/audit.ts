import { createHash } from 'node:crypto';
import type { Implementation } from '../../model/items.ts';
import type { Principal } from '../../model/peer.ts';
import { portray, portrayText } from '../../model/portrait.ts';
import { type Redact, redactShapes } from '../../model/redact.ts';
import type { Operation, Verb } from '../../model/verbs.ts';

// Not folded around the dispatch like other policies: only whoever writes the reply knows the error id the client sees,
// how long the reply is, and that a client left.

/** One line of the audit: who asked for what, and what became of it. Holds no session id, no token, no result. */
export interface AuditEntry {
  /** When it was over, ISO 8601 in UTC. */
  readonly time: string;
  /** What was asked for: `tools.call`, `resources.read`, …; `http` for what was refused before it was read. */
  readonly verb: string;
  /** The tool or prompt by name, the resource by URI, the task by a digest of its id; as the client named it. */
  readonly item?: string;
  /** `ok`, `failed` (the tool says so itself), `asked`, `task`, `cancelled`, or a code of docs/errors.md. */
  readonly outcome: string;
  /** The item exists, and this principal may not see it. */
  readonly hidden?: true;
  /** Where the log and the client have more about what went wrong. */
  readonly errorId?: string;
  readonly principal?: string;
  /** What the client calls itself: nothing proves it. */
  readonly client?: string;
  readonly dialect?: string;
  /** The same for all requests of one session or connection; the id itself cannot be found from it. */
  readonly session?: string;
  /** The request's own words, as JSON. */
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly ms: number;
  /** Only where it is asked for: bounded, and without what looks like a secret. */
  readonly arguments?: unknown;
  /** Where a request came from that was refused before it was read. */
  readonly remote?: string;
}

/** Takes the entries one by one. What it throws is dropped. */
export type AuditSink = (entry: AuditEntry) => void;

/** What is known of a request when it begins. */
export interface AuditedCall {
  readonly operation: Operation;
  readonly dialect: string;
  readonly principal: Principal | undefined;
  readonly client: Implementation | undefined;
  readonly session: string | undefined;
}

/** What became of it. */
export interface AuditedEnd {
  readonly outcome: string;
  readonly errorId?: string | undefined;
  /** The whole reply. */
  readonly text?: string | undefined;
}

/** What was refused before anybody read it. */
export interface AuditedRefusal {
  readonly outcome: string;
  readonly item: string;
  readonly remote: string;
  readonly principal: Principal | undefined;
}

export interface Audit {
  /** Begins an entry; `undefined` for what is not audited. */
  begin(call: AuditedCall): ((end: AuditedEnd) => void) | undefined;
  refused(refusal: AuditedRefusal): void;
}

export interface AuditOptions {
  readonly sink: AuditSink;
  /** Tell the arguments too. */
  readonly arguments?: boolean | undefined;
  readonly redact?: Redact | undefined;
  /** Whether what is asked for is there for somebody. */
  exists?(operation: Operation): boolean;
}

const AUDITED: ReadonlySet<Verb> = new Set<Verb>([
  'tools.call',
  'resources.read',
  'prompts.get',
  'complete',
  'tasks.get',
  'tasks.result',
  'tasks.list',
  'tasks.cancel',
  'tasks.update',
]);
const UNKNOWN: ReadonlySet<string> = new Set(['E_UNKNOWN_TOOL', 'E_UNKNOWN_PROMPT', 'E_UNKNOWN_RESOURCE']);
const LONGEST_NAME = 256;
const LONGEST_ARGUMENTS = 4096;
const DIGEST_LENGTH = 16;

/** Makes entries of what clients ask for. */
export function createAudit(options: AuditOptions): Audit {
  const { redact = redactShapes } = options;
  const short = (text: string): string => portrayText(text, { redact, room: LONGEST_NAME });
  const write: AuditSink = (entry) => {
    try {
      options.sink(entry);
    } catch {
      // Whoever keeps entries counts what it cannot keep; a call must not fail for it.
    }
  };
  return {
    begin(call) {
      const { operation } = call;
      if (!AUDITED.has(operation.verb)) return undefined;
      const began = performance.now();
      return (end) => write({ ...entryOf(call, end, short), ...aside(call, end, options), ms: since(began) });
    },
    refused({ outcome, item, remote, principal }) {
      const who = principal === undefined ? {} : { principal: short(principal.id) };
      write({ time: now(), verb: 'http', item: short(item), outcome, ...who, remote, bytesIn: 0, bytesOut: 0, ms: 0 });
    },
  };
}

function entryOf(call: AuditedCall, end: AuditedEnd, short: Redact): Omit<AuditEntry, 'ms'> {
  const { operation, dialect, principal, client, session } = call;
  const item = itemOf(operation);
  return {
    time: now(),
    verb: operation.verb,
    ...(item === undefined ? {} : { item: short(item) }),
    outcome: end.outcome,
    ...(end.errorId === undefined ? {} : { errorId: end.errorId }),
    ...(principal === undefined ? {} : { principal: short(principal.id) }),
    ...(client === undefined ? {} : { client: short(client.name) }),
    dialect,
    ...(session === undefined ? {} : { session: digestOf(session) }),
    bytesIn: Buffer.byteLength(JSON.stringify(operation.ask)),
    bytesOut: end.text === undefined ? 0 : Buffer.byteLength(end.text),
  };
}

/** What stands in an entry only sometimes. */
function aside({ operation }: AuditedCall, { outcome }: AuditedEnd, options: AuditOptions): Partial<AuditEntry> {
  const { redact = redactShapes } = options;
  const given = options.arguments === true ? argumentsOf(operation) : undefined;
  return {
    ...(UNKNOWN.has(outcome) && options.exists?.(operation) === true ? { hidden: true } : {}),
    ...(given === undefined ? {} : { arguments: portray(given, { redact, room: LONGEST_ARGUMENTS }) }),
  };
}

function itemOf({ verb, ask }: Operation): string | undefined {
  switch (verb) {
    case 'tools.call':
    case 'prompts.get':
      return ask.name;
    case 'resources.read':
      return ask.uri;
    case 'complete':
      return ask.ref.type === 'prompt' ? ask.ref.name : ask.ref.uri;
    case 'tasks.get':
    case 'tasks.result':
    case 'tasks.cancel':
    case 'tasks.update':
      return digestOf(ask.id);
    default:
      return undefined;
  }
}

function argumentsOf({ verb, ask }: Operation): unknown {
  if (verb === 'tools.call' || verb === 'prompts.get') return ask.input;
  if (verb === 'complete') return { [ask.argument.name]: ask.argument.value };
  return verb === 'tasks.update' ? ask.answers : undefined;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_LENGTH);
}

function now(): string {
  return new Date().toISOString();
}

function since(began: number): number {
  return Math.round((performance.now() - began) * 1000) / 1000;
}
