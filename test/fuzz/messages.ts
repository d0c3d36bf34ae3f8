import { isModern, KEY } from '../scenarios/revisions.ts';
import type { Tongue } from './oracle/ground.ts';
import { type Node, nodeOf } from './oracle/json.ts';

// Good messages of every kind, from which the bad ones are made.

type Json = Record<string, unknown>;

const REQUESTS: readonly (readonly [string, Json?])[] = [
  ['tools/list'],
  ['tools/list', { cursor: 'dG9vbHM6Mzo' }],
  ['tools/call', { name: 'echo', arguments: { text: 'hi' } }],
  ['tools/call', { name: 'echo', arguments: { text: 7 } }],
  ['tools/call', { name: 'add', arguments: { a: 1, b: 2.5 } }],
  ['tools/call', { name: 'later' }],
  ['tools/call', { name: 'throws' }],
  ['tools/call', { name: 'rejects', arguments: {} }],
  ['tools/call', { name: 'steps', _meta: { progressToken: 'p1' } }],
  ['tools/call', { name: 'asks' }],
  ['tools/call', { name: 'gone' }],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['resources/read', { uri: 'test://text' }],
  ['resources/read', { uri: 'test://items/one?page=2' }],
  ['resources/read', { uri: 'test://broken' }],
  ['resources/read', { uri: 'file:///etc/passwd' }],
  ['prompts/list', {}],
  ['prompts/get', { name: 'welcome', arguments: { who: 'you' } }],
  ['prompts/get', { name: 'failing' }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'welcome' }, argument: { name: 'who', value: 'a' } }],
  [
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'test://items/{id}{?page}' }, argument: { name: 'id', value: '' } },
  ],
];
const LEGACY_REQUESTS: readonly (readonly [string, Json?])[] = [
  ['ping'],
  ['logging/setLevel', { level: 'error' }],
  ['resources/subscribe', { uri: 'test://text' }],
  ['resources/unsubscribe', { uri: 'test://text' }],
  ['initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'f', version: '1' } }],
];
const TASK_REQUESTS: readonly (readonly [string, Json?])[] = [
  ['tools/call', { name: 'later', task: { ttl: 1000 } }],
  ['tasks/list', {}],
  ['tasks/get', { taskId: 'none' }],
  ['tasks/result', { taskId: 'none' }],
  ['tasks/cancel', { taskId: 'none' }],
];
const MODERN_REQUESTS: readonly (readonly [string, Json?])[] = [
  ['server/discover'],
  ['subscriptions/listen', { toolsListChanged: true, resourceSubscriptions: ['test://text'] }],
  ['subscriptions/listen', { notifications: { toolsListChanged: true } }],
  ['tools/call', { name: 'asks', requestState: 'AQAA', inputResponses: { who: { action: 'decline' } } }],
  ['tasks/update', { taskId: 'none', inputResponses: {} }],
];
const NOTICES: readonly (readonly [string, Json?])[] = [
  ['notifications/initialized'],
  ['notifications/cancelled', { requestId: 3, reason: 'changed my mind' }],
  ['notifications/progress', { progressToken: 'p', progress: 1 }],
  ['notifications/roots/list_changed'],
];
const ACTIONS: readonly Json[] = [
  { id: 'a', type: 'list_actions' },
  { type: 'list_actions' },
  { id: 'b', type: 'invoke', payload: { action: 'echo', input: { text: 'hi' } } },
  { type: 'invoke', payload: { action: 'later', input: {} } },
  { id: 'c', type: 'invoke', payload: { action: 'throws', input: {} } },
  { id: 'd', type: 'invoke', payload: { action: 'gone', input: {} } },
  { id: 'e', type: 'invoke', payload: { action: 'add', input: { a: 1 } } },
];
const REPLIES: readonly Json[] = [
  { jsonrpc: '2.0', id: 1, result: { action: 'accept', content: { name: 'x' } } },
  { jsonrpc: '2.0', id: 1, error: { code: -1, message: 'no' } },
];

/** What a modern request says of itself. */
export function claim(capabilities: Json = {}): Json {
  return { [KEY.revision]: '2026-07-28', [KEY.capabilities]: capabilities };
}

/** Good messages of one tongue, with a few of the others among them. */
export function messagesOf(tongue: Tongue): readonly Node[] {
  const actions = ACTIONS.map(nodeOf);
  if (tongue === 'action') return [...actions, nodeOf({ jsonrpc: '2.0', id: 1, method: 'tools/list' })];
  const modern = isModern(tongue) && tongue !== 'bare';
  const own = [
    ...REQUESTS,
    ...(modern ? MODERN_REQUESTS : LEGACY_REQUESTS),
    ...(tongue >= '2025-11-25' ? TASK_REQUESTS : []),
  ];
  const requests = own.map(([method, params]) => request(method, modern ? claimed(params) : params));
  const notices = NOTICES.map(([method, params]) => ({
    jsonrpc: '2.0',
    method,
    ...(params === undefined ? {} : { params: modern ? claimed(params) : params }),
  }));
  const stray = modern ? request('tools/list', {}) : request('tools/list', claimed({}));
  return [...[...requests, ...notices, ...REPLIES, stray].map(nodeOf), ...actions.slice(0, 2)];
}

function request(method: string, params: Json | undefined): Json {
  return { jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) };
}

function claimed(params: Json = {}): Json {
  const meta = (params['_meta'] ?? {}) as Json;
  return { ...params, _meta: { ...claim({ elicitation: {} }), ...meta } };
}
