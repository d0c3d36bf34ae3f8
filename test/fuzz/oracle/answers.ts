import { expect, shown } from '../target.ts';
import { type Id, keyOf } from './due.ts';

// What a well-formed answer is, whatever it answers.

export type Heard =
  | { readonly kind: 'named'; readonly key: string; readonly id: Id; readonly code: number | undefined }
  | { readonly kind: 'nameless'; readonly shape: 'null' | 'absent'; readonly code: number }
  | { readonly kind: 'batch'; readonly parts: readonly Heard[] }
  | { readonly kind: 'action'; readonly id: string | undefined; readonly ok: boolean }
  /** Something nobody asked for: a notification, or a question that waits for an answer. */
  | { readonly kind: 'aside'; readonly question: Id | undefined };

type Json = Record<string, unknown>;

/** Planted in what tools throw: it must never be seen. */
export const SECRET = 'hunter2-planted-secret';
const STACK = /\\n\s+at |node:internal|\.[cm]?[jt]s:\d+:\d+|node_modules/;
const NOTICE = /^notifications\/[a-z/_]+$/;
const QUESTIONS = new Set(['ping', 'sampling/createMessage', 'elicitation/create', 'roots/list']);

/** Sorts one line the server said; throws when it is not one a server may say. */
export function hear(line: string): Heard {
  expect(!line.includes(SECRET), () => `a secret was said: ${shown(line)}`);
  expect(!STACK.test(line), () => `something internal was said: ${shown(line)}`);
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    expect(false, () => `what was said is not JSON: ${shown(line)}`);
  }
  if (!Array.isArray(value)) return sort(value);
  expect(value.length > 0, 'an empty batch was said');
  return { kind: 'batch', parts: value.map(sort) };
}

function sort(value: unknown): Heard {
  expect(isObject(value), () => `no object was said: ${shown(value)}`);
  if (value['jsonrpc'] === undefined) return sortAction(value);
  expect(value['jsonrpc'] === '2.0', () => `"jsonrpc" is wrong: ${shown(value)}`);
  return value['method'] === undefined ? sortReply(value) : sortAside(value);
}

function sortAction(value: Json): Heard {
  const { id, ok, data, error, issues, ...rest } = value;
  expect(Object.keys(rest).length === 0, () => `unknown members in an action reply: ${shown(value)}`);
  expect(id === undefined || typeof id === 'string', () => `a bad id in an action reply: ${shown(value)}`);
  expect(ok === true || ok === false, () => `no "ok" in an action reply: ${shown(value)}`);
  expect(ok === (data !== undefined) && ok === (error === undefined), () => `neither or both: ${shown(value)}`);
  expect(ok || (typeof error === 'string' && error !== ''), () => `an error without words: ${shown(value)}`);
  expect(issues === undefined || Array.isArray(issues), () => `bad issues: ${shown(value)}`);
  return { kind: 'action', id, ok };
}

function sortAside(value: Json): Heard {
  const { jsonrpc: _version, method, params, id, ...rest } = value;
  expect(Object.keys(rest).length === 0, () => `unknown members in a message: ${shown(value)}`);
  expect(params === undefined || isObject(params), () => `bad params in a message: ${shown(value)}`);
  expect(typeof method === 'string', () => `a bad method in a message: ${shown(value)}`);
  if (id === undefined) expect(NOTICE.test(method), () => `not a notification: ${shown(value)}`);
  else expect(QUESTIONS.has(method) && isId(id), () => `not a question: ${shown(value)}`);
  return { kind: 'aside', question: id as Id | undefined };
}

function sortReply(value: Json): Heard {
  const { jsonrpc: _version, id, result, error, ...rest } = value;
  expect(Object.keys(rest).length === 0, () => `unknown members in a reply: ${shown(value)}`);
  expect(
    (result === undefined) !== (error === undefined),
    () => `neither or both of result and error: ${shown(value)}`,
  );
  const code = error === undefined ? undefined : codeOf(error);
  if (isId(id)) return { kind: 'named', key: keyOf(id), id, code };
  expect(id === undefined || id === null, () => `a bad id in a reply: ${shown(value)}`);
  expect(code !== undefined, () => `a result that names no request: ${shown(value)}`);
  return { kind: 'nameless', shape: id === null ? 'null' : 'absent', code };
}

function codeOf(error: unknown): number {
  expect(isObject(error), () => `an error that is no object: ${shown(error)}`);
  const { code, message, data, ...rest } = error;
  expect(Object.keys(rest).length === 0, () => `unknown members in an error: ${shown(error)}`);
  expect(Number.isInteger(code), () => `an error without a whole number for a code: ${shown(error)}`);
  expect(typeof message === 'string' && message !== '', () => `an error without words: ${shown(error)}`);
  expect(data === undefined || isObject(data), () => `an error with bad data: ${shown(error)}`);
  return code as number;
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
