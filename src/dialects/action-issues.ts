import { echoed, excerpt } from '../model/excerpt.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';

/** What is wrong with one member of an action request, in the words its clients know. */
export type Issue = Readonly<Record<string, Json>>;

export interface ActionRequest {
  readonly id?: string;
  readonly type: 'list_actions' | 'invoke';
  readonly payload: Json | undefined;
}

export interface Invocation {
  readonly action: string;
  readonly input: JsonObject;
}

const TYPES = ['list_actions', 'invoke'] as const;
const TYPES_SAID = "'list_actions' | 'invoke'";

/** Whether a `type` is one only an action request has. */
export function isActionType(type: Json | undefined): type is ActionRequest['type'] {
  return TYPES.includes(type as (typeof TYPES)[number]);
}

/** The request a message holds, or everything that is wrong with its envelope. */
export function readRequest(message: Json): ActionRequest | Issue[] {
  if (!isObject(message)) return [mistyped('object', message, [])];
  const { id, type, payload } = message;
  const issues = [
    ...(id === undefined || typeof id === 'string' ? [] : [mistyped('string', id, ['id'])]),
    ...typeIssues(type),
  ];
  if (issues.length > 0) return issues;
  return { ...(id === undefined ? {} : { id: id as string }), type: type as ActionRequest['type'], payload };
}

/** The invocation a payload holds, or everything that is wrong with it. */
export function readInvoke(payload: Json | undefined): Invocation | Issue[] {
  if (!isObject(payload)) return [mistyped('object', payload, [])];
  const { action, input } = payload;
  const issues = [...actionIssues(action), ...(isObject(input) ? [] : [mistyped('object', input, ['input'])])];
  return issues.length > 0 ? issues : { action: action as string, input: input as JsonObject };
}

function typeIssues(type: Json | undefined): Issue[] {
  if (isActionType(type)) return [];
  if (typeof type !== 'string') {
    const { code, message, path, received } = mistyped(TYPES_SAID, type, ['type']);
    return [
      {
        expected: TYPES_SAID,
        received: received as Json,
        code: code as Json,
        path: path as Json,
        message: message as Json,
      },
    ];
  }
  return [
    {
      received: echoed(type),
      code: 'invalid_enum_value',
      options: [...TYPES],
      path: ['type'],
      message: `Invalid enum value. Expected ${TYPES_SAID}, received '${excerpt(type)}'`,
    },
  ];
}

function actionIssues(action: Json | undefined): Issue[] {
  if (typeof action !== 'string') return [mistyped('string', action, ['action'])];
  if (action.length > 0) return [];
  return [
    {
      code: 'too_small',
      minimum: 1,
      type: 'string',
      inclusive: true,
      exact: false,
      message: 'String must contain at least 1 character(s)',
      path: ['action'],
    },
  ];
}

function mistyped(expected: string, value: Json | undefined, path: string[]): Issue {
  const received = nameOf(value);
  const message = received === 'undefined' ? 'Required' : `Expected ${expected}, received ${received}`;
  return { code: 'invalid_type', expected, received, path, message };
}

function nameOf(value: Json | undefined): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
