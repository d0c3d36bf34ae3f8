import type { Revision } from '../../dialects/mcp/revision.ts';
import { Fault } from '../../model/fault.ts';
import { isObject } from '../../model/json.ts';
import type { Answer } from '../../model/verbs.ts';
import type { Connection } from './connection.ts';
import type { Link } from './link.ts';
import { PeerError } from './peer-error.ts';
import { createSpeaker, type Self } from './speaker.ts';
import { HttpFault } from './verdict.ts';

export type Era = 'auto' | 'modern' | 'handshake';

export interface OpeningOptions {
  readonly self: Self;
  readonly revisions: readonly Revision[];
  /** Speak this revision and no other. */
  readonly pin?: string | undefined;
  readonly era: Era;
  readonly timeoutMs: number;
  /** How long a server may take to answer the first question of the modern era before it is taken for an older one. */
  readonly probeMs: number;
  /** A new link to the same server, for one that ends when it is asked what it does not know. */
  reopen?(): Link;
  /** A link of an older transport to the same server, for one that does not take messages in the newer way. */
  older?(): Link;
}

export type Greeting = Answer<'hello'>;

interface Opened {
  readonly greeting: Greeting;
  readonly revision: Revision;
}

/** Finds out what the server speaks, and leaves the connection speaking it. */
export async function open(connection: Connection, options: OpeningOptions): Promise<Greeting> {
  const { modern, handshake } = candidates(options);
  const { greeting, revision } =
    modern.length === 0 || handshake.length === 0
      ? await negotiateEitherWay(connection, options, [...modern, ...handshake])
      : await probe(connection, options, { modern, handshake });
  connection.speaker = createSpeaker(revision, options.self);
  if (revision.opens === 'handshake') connection.tell({ kind: 'ready' });
  return greeting;
}

type Candidates = Readonly<Record<'modern' | 'handshake', readonly Revision[]>>;

// spec 2026-07-28 basic/lifecycle: whatever is no answer to the first modern request means an older server
async function probe(
  connection: Connection,
  options: OpeningOptions,
  { modern, handshake }: Candidates,
): Promise<Opened> {
  const overtaken = new AbortController();
  const patient = { ...options, timeoutMs: Math.max(options.timeoutMs, options.probeMs), signal: overtaken.signal };
  const probing = negotiate(connection, patient, modern);
  const verdict = await within(connection.acknowledged ? undefined : options.probeMs, probing);
  if (verdict !== undefined && !(verdict instanceof Error)) return verdict;
  if (isNoVerdict(connection, verdict)) throw verdict;
  try {
    if (connection.closedBy !== undefined) reopen(connection, options);
    return await negotiateEitherWay(connection, options, handshake);
  } catch (error) {
    // A server that was slow to start answers both, and one that knows no handshake refuses it.
    const late = error instanceof PeerError ? await within(0, probing) : undefined;
    if (late === undefined || late instanceof Error) throw clearest(modern, verdict, error);
    return late;
  } finally {
    overtaken.abort();
  }
}

/** A server that understood the modern question and refused it has said more than one that refuses the handshake. */
function clearest([newest]: readonly Revision[], first: Error | undefined, second: unknown): unknown {
  if (!(first instanceof PeerError) || newest === undefined) return second;
  const { unsupportedRevision, missingCapability, headerMismatch } = newest.codes;
  return [unsupportedRevision, missingCapability, headerMismatch].includes(first.code) ? first : second;
}

/** Whether a failure leaves open what the server speaks: it was not reached, or did not let us in. */
function isNoVerdict(connection: Connection, error: Error | undefined): boolean {
  if (!connection.acknowledged) return false;
  if (error instanceof HttpFault || error instanceof PeerError)
    return error.verdict === 'broken' || error.verdict === 'forbidden';
  return error instanceof Fault && error.code === 'E_DEADLINE';
}

/** Falls back to the older transport where messages are not taken in the newer way. */
async function negotiateEitherWay(
  connection: Connection,
  options: OpeningOptions,
  ours: readonly Revision[],
): Promise<Opened> {
  try {
    return await negotiate(connection, options, ours);
  } catch (error) {
    const older = (error instanceof HttpFault || error instanceof PeerError) && error.verdict === 'older';
    if (!older || options.older === undefined || ours[0]?.opens !== 'handshake') throw error;
    connection.reopen(options.older());
    return await negotiate(connection, options, ours).catch((second: unknown) => {
      throw second instanceof HttpFault && second.verdict === 'older' ? error : second;
    });
  }
}

function candidates({ revisions, pin, era }: OpeningOptions): { modern: Revision[]; handshake: Revision[] } {
  const wanted = pin === undefined ? revisions : revisions.filter(({ id }) => id === pin);
  if (wanted.length === 0) {
    const known = revisions.map(({ id }) => id).join(', ');
    throw new Fault('E_UNSUPPORTED_REVISION', `Cannot speak protocol revision "${pin}". There are: ${known}`);
  }
  const opening = (opens: Revision['opens']): Revision[] => wanted.filter((revision) => revision.opens === opens);
  const modern = era === 'handshake' ? [] : opening('every-request');
  const handshake = era === 'modern' ? [] : opening('handshake');
  if (modern.length + handshake.length === 0) {
    throw new Fault('E_UNSUPPORTED_REVISION', `Cannot speak protocol revision "${pin}" in the ${era} era`);
  }
  return { modern, handshake };
}

// spec 2025-11-25 basic/lifecycle#version-negotiation
async function negotiate(
  connection: Connection,
  { self, timeoutMs, signal }: OpeningOptions & { signal?: AbortSignal },
  ours: readonly Revision[],
): Promise<Opened> {
  const ask = (revision: Revision): Promise<Greeting> => {
    const speaker = createSpeaker(revision, self);
    if (revision.opens === 'handshake') connection.speaker = speaker;
    return connection.request({ verb: 'hello', ask: self }, { timeoutMs, speaker, signal });
  };
  const newest = ours[0] as Revision;
  let greeting: Greeting;
  try {
    greeting = await ask(newest);
  } catch (error) {
    const common = error instanceof PeerError ? offered(error, ours) : undefined;
    if (common === undefined) throw error;
    greeting = await ask(common);
  }
  const revision = ours.find(({ id }) => greeting.revisions.includes(id));
  if (revision === undefined) throw nothingInCommon(greeting.revisions);
  return { greeting, revision };
}

function reopen(connection: Connection, { reopen: again }: OpeningOptions): void {
  if (again === undefined) throw connection.closedBy;
  connection.reopen(again());
}

/** The newest revision of ours among those an error says the server speaks. */
function offered({ data }: PeerError, ours: readonly Revision[]): Revision | undefined {
  const supported = isObject(data) ? data['supported'] : undefined;
  return Array.isArray(supported) ? ours.find(({ id }) => supported.includes(id)) : undefined;
}

function nothingInCommon(theirs: readonly string[]): Fault {
  return new Fault(
    'E_UNSUPPORTED_REVISION',
    `The server speaks only protocol revisions unknown here: ${theirs.join(', ')}`,
  );
}

/** What the promise became in this time: its value, its error, or `undefined` when it is still open. */
function within<T>(ms: number | undefined, promise: Promise<T>): Promise<T | Error | undefined> {
  return new Promise((resolve) => {
    const timer = ms === undefined ? undefined : setTimeout(() => resolve(undefined), ms);
    const settle = (value: T | Error): void => {
      clearTimeout(timer);
      resolve(value);
    };
    promise.then(settle, (error: unknown) => settle(error instanceof Error ? error : new Error(String(error))));
  });
}
