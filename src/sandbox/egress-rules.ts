import { validateHeaderName, validateHeaderValue } from 'node:http';

/** Something this client does not send or cannot fetch. Its message names nothing secret, so it may be shown. */
export class EgressError extends Error {
  override readonly name = 'EgressError';
}

export const EGRESS_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type EgressMethod = (typeof EGRESS_METHODS)[number];

/** Set by the client itself, or about one connection and nobody else's business. */
const OWN_HEADERS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** The headers that may follow a redirect to another origin: none that can hold a secret. */
const TRAVELLING = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);
const ABOUT_BODY = new Set(['content-type', 'content-language', 'content-encoding', 'content-location']);
const MOST_HEADERS = 64;

/** The address to go to, if this client goes there at all. */
export function readTarget(text: string, ports: ReadonlySet<number>): URL {
  if (!URL.canParse(text)) throw new EgressError(`Cannot request "${shown(text)}": it is not an absolute URL`);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EgressError(`Cannot request "${url.protocol}" URLs: only http and https are served`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new EgressError('Cannot request a URL with a user name or password: send an "authorization" header instead');
  }
  const port = portOf(url);
  if (!ports.has(port)) throw new EgressError(`Cannot request port ${port}: it is not one of the allowed ports`);
  url.hash = '';
  return url;
}

export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/** The host of a URL as a resolver takes it: an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

export function readMethod(text: string): EgressMethod {
  const method = EGRESS_METHODS.find((known) => known === text.toUpperCase());
  if (method === undefined) {
    throw new EgressError(`Cannot send the method "${shown(text)}": use one of ${EGRESS_METHODS.join(', ')}`);
  }
  return method;
}

/** The headers by their names in lower case, if all of them may be sent. */
export function readHeaders(given: Readonly<Record<string, string>>, mostBytes: number): Map<string, string> {
  const headers = new Map<string, string>();
  let bytes = 0;
  for (const [name, value] of Object.entries(given)) {
    checkHeader(name, value);
    bytes += name.length + Buffer.byteLength(value) + 4;
    headers.set(name.toLowerCase(), value);
  }
  if (headers.size > MOST_HEADERS) throw new EgressError(`Cannot send more than ${MOST_HEADERS} headers`);
  if (bytes > mostBytes) throw new EgressError(`Cannot send more than ${mostBytes} bytes of headers`);
  return headers;
}

function checkHeader(name: string, value: string): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    throw new EgressError(`Cannot send the header "${shown(name)}": its name or value is malformed`);
  }
  const lower = name.toLowerCase();
  if (OWN_HEADERS.has(lower) || lower.startsWith('proxy-')) {
    throw new EgressError(`Cannot send the header "${shown(name)}": the server sets it itself`);
  }
}

/** What is left of headers after a redirect to another place, or with another method. */
export function headersAfter(
  headers: ReadonlyMap<string, string>,
  { sameOrigin, keepsBody }: { sameOrigin: boolean; keepsBody: boolean },
): Map<string, string> {
  const kept = [...headers].filter(
    ([name]) => (sameOrigin || TRAVELLING.has(name)) && (keepsBody || !ABOUT_BODY.has(name)),
  );
  return new Map(kept);
}

/** A piece of text from outside, short enough to be part of a message. */
export function shown(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
