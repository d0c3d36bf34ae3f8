import type { HttpExchange } from './exchange.ts';

const TOKEN = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;
const MEDIA_TYPE = /^[ \t]*([^/;, \t]+)\/([^/;, \t]+)[ \t]*(?:;|$)/;
const ZERO = /;[ \t]*q=0(?:\.0{0,3})?[ \t]*(?:;|$)/i;

/** The media type of a header value in lower case, its parameters left off; `undefined` when it is none. */
export function mediaType(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (value === 'application/json') return value;
  const [, type, subtype] = MEDIA_TYPE.exec(value) ?? [];
  if (type === undefined || subtype === undefined || !TOKEN.test(type) || !TOKEN.test(subtype)) return undefined;
  return `${type}/${subtype}`.toLowerCase();
}

/** Whether a body of this content type is JSON. */
export function isJson(contentType: string | undefined): boolean {
  return mediaType(contentType) === 'application/json';
}

/** What to do about a body that is packed. */
export const PACKED = 'Cannot read a body that is packed: send it without Content-Encoding';

/** Whether a body is packed: what is small on its way may be anything when it is unpacked, so that none is. */
export function isPacked(exchange: Pick<HttpExchange, 'header'>): boolean {
  const coding = exchange.header('content-encoding');
  return coding !== undefined && coding.toLowerCase() !== 'identity';
}

/** Which forms of answer a client takes. */
export interface Accepted {
  readonly json: boolean;
  readonly events: boolean;
}

const BOTH: Accepted = { json: true, events: true };
const USUAL = new Set(['text/event-stream, application/json', '*/*', '']);

/** Reads an `Accept` header. Absent and empty count as everything; a range with `q=0` counts as left out. */
export function accepted(accept: string | undefined): Accepted {
  // The first is what nearly every client sends, and comparing it is quicker than looking it up.
  if (accept === undefined || accept === 'application/json, text/event-stream' || USUAL.has(accept)) return BOTH;
  const ranges = new Map<string, boolean>();
  for (const range of accept.split(',')) {
    const type = mediaType(range);
    if (type !== undefined) ranges.set(type, !ZERO.test(range));
  }
  const takes = (type: string, family: string): boolean =>
    ranges.get(type) ?? ranges.get(family) ?? ranges.get('*/*') ?? false;
  return { json: takes('application/json', 'application/*'), events: takes('text/event-stream', 'text/*') };
}

/** The method of the protocol whose answer is a stream that goes on until somebody ends it. */
const LISTEN = 'subscriptions/listen';

/** Whether a request opens a stream to listen on, and not one that answers it; the header must agree with its message. */
export function isListening(exchange: Pick<HttpExchange, 'method' | 'header'>): boolean {
  return exchange.method === 'GET' || exchange.header('mcp-method') === LISTEN;
}
