import { readEnvelope } from '../../rpc/envelope.ts';
import { encodeHeader } from '../../rpc/header-value.ts';
import { readMessage, typeOf } from './http-body.ts';
import { discard, type HttpCaller, verdictOf } from './http-caller.ts';
import type { Label } from './link.ts';
import { PeerError } from './peer-error.ts';
import { HttpFault } from './verdict.ts';

export const EVENTS = 'text/event-stream';
export const ACCEPT_BOTH = `application/json, ${EVENTS}`;
export const SESSION = 'mcp-session-id';

const REFUSAL_BYTES = 1024 * 1024;
const NOT_FOUND = 404;
const SESSION_ID = /^[\x21-\x7e]{1,4096}$/;

/** What is said of a message in the headers beside it. */
// spec 2026-07-28 basic/transports/streamable-http#standard-request-headers
export function headersBeside(label: Label | undefined): Record<string, string> {
  if (label === undefined) return {};
  const { alone, revision, method, name, mirrored = {} } = label;
  const headers: Record<string, string> = revision === undefined ? {} : { 'mcp-protocol-version': revision };
  if (!alone || method === undefined) return headers;
  headers['mcp-method'] = method;
  if (name !== undefined) headers['mcp-name'] = encodeHeader(name);
  for (const [header, value] of Object.entries(mirrored)) headers[header] = encodeHeader(value);
  return headers;
}

/** Why the server refused: its own error, where it is one of the protocol, and what the status says otherwise. */
export async function refusedBy(
  response: Response,
  { caller, session }: { caller: HttpCaller; session?: string | undefined },
): Promise<HttpFault | PeerError> {
  const verdict = verdictOf(response.status);
  const refusal = caller.refusal(response);
  if (session !== undefined && response.status === NOT_FOUND) {
    await discard(response);
    return new HttpFault('gone', `The server at "${caller.name}" does not know the session any more: connect again`);
  }
  if (verdict === 'forbidden' || typeOf(response) !== 'application/json') {
    await discard(response);
    return refusal;
  }
  try {
    const envelope = readEnvelope(await readMessage(response, REFUSAL_BYTES));
    return envelope.kind === 'error' ? new PeerError(envelope.error, verdict) : refusal;
  } catch {
    return refusal;
  }
}

/** The session a response opens, if it opens one. */
export function sessionOf({ headers }: Response): string | undefined {
  const session = headers.get(SESSION);
  if (session === null) return undefined;
  if (SESSION_ID.test(session)) return session;
  throw new HttpFault('broken', 'The server gave the session a name that cannot be sent back');
}

/** Works until a signal fires or the time is up. */
export async function inTime<T>(
  signal: AbortSignal,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const both = new AbortController();
  const stop = (): void => both.abort(signal.reason);
  const timer = setTimeout(() => both.abort(new HttpFault('broken', `It took longer than ${ms} ms`)), ms);
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    return await work(both.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** Why a response that is neither JSON nor events is none. */
export async function nonsense(response: Response, name: string): Promise<HttpFault> {
  await discard(response);
  const type = typeOf(response);
  const what = type === '' ? 'nothing that could be an answer' : `"${type}", which is no answer`;
  return new HttpFault('broken', `The server at "${name}" sent ${what}: is it an MCP endpoint?`);
}
