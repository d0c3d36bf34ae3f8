import { excerpt } from '../../model/excerpt.ts';
import type { JsonObject } from '../../model/json.ts';
import { limitedText, refusalText } from '../../rpc/refusal.ts';
import type { Headers, HttpExchange } from './exchange.ts';
import { accepted, isJson } from './headers.ts';

export interface Refusal {
  readonly status: number;
  /** One word for programs. */
  readonly reason: string;
  /** What is wrong and what to do about it. */
  readonly message: string;
  readonly data?: JsonObject;
  readonly headers?: Headers;
  /** The same request may come again later. */
  readonly limited?: boolean;
}

/** Answers with an error in the shape every client of this protocol can show. */
export function refuse(exchange: HttpExchange, refusal: Refusal): void {
  const { status, reason, message, data, headers, limited = false } = refusal;
  const say = limited ? limitedText : refusalText;
  exchange.reply(status, say(message, { reason, ...data }), headers);
}

/** Whether the method is one of these; answers with what is allowed when it is not. */
export function takesMethod(exchange: HttpExchange, methods: readonly string[]): boolean {
  if (methods.includes(exchange.method)) return true;
  const allow = methods.join(', ');
  refuse(exchange, {
    status: 405,
    reason: 'method',
    message: `Cannot ${excerpt(exchange.method)} here: use ${allow}`,
    headers: { allow },
  });
  return false;
}

/** Whether the body is said to be JSON; answers when it is not. */
export function sendsJson(exchange: HttpExchange): boolean {
  const type = exchange.header('content-type');
  if (isJson(type)) return true;
  const found = type === undefined ? 'there is none' : `not ${JSON.stringify(excerpt(type))}`;
  refuse(exchange, {
    status: 415,
    reason: 'contentType',
    message: `Cannot read the body: content-type must be "application/json", ${found}`,
    headers: { 'accept-post': 'application/json' },
  });
  return false;
}

/** Whether the client takes one of the forms of answer there are here; answers when it takes none. */
export function takesAnswer(exchange: HttpExchange, forms: readonly ('json' | 'events')[]): boolean {
  const takes = accepted(exchange.header('accept'));
  if (forms.some((form) => takes[form])) return true;
  const types = forms.map((form) => (form === 'json' ? 'application/json' : 'text/event-stream')).join(' or ');
  refuse(exchange, { status: 406, reason: 'accept', message: `Cannot answer: accept must allow ${types}` });
  return false;
}
