import type { Eventually } from '../../model/json.ts';
import type { Handler, Headers, HttpExchange } from './exchange.ts';

/** Something to read at a path. */
export interface Document {
  readonly status: number;
  readonly body: string;
  readonly headers: Headers;
}

/** Serves a document to GET and HEAD, and refuses every other method. */
export function serveDocument(make: (exchange: HttpExchange) => Eventually<Document>): Handler {
  return (exchange) => {
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') {
      exchange.reply(405, 'Method not allowed: use GET', { allow: 'GET, HEAD', 'content-type': 'text/plain' });
      return;
    }
    const made = make(exchange);
    return made instanceof Promise ? made.then((document) => show(exchange, document)) : show(exchange, made);
  };
}

function show(exchange: HttpExchange, { status, body, headers }: Document): void {
  if (exchange.method === 'GET') exchange.reply(status, body, headers);
  else exchange.reply(status, undefined, { ...headers, 'content-length': String(Buffer.byteLength(body)) });
}

/** A document of JSON. */
export function jsonDocument(status: number, value: unknown, headers: Headers = {}): Document {
  return {
    status,
    body: JSON.stringify(value),
    headers: { 'content-type': 'application/json', 'x-content-type-options': 'nosniff', ...headers },
  };
}
