import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import { KEY, MODERN } from '../revisions.ts';
import { type Heard, send } from './heard.ts';
import { BOTH, type HttpPeer, JSON_TYPE, textIn } from './http-peer.ts';
import { type HttpScene, stageHttp } from './http-scene.ts';

// Where a message belongs, by what it says and what stands beside it: one row after the other.

interface Outcome {
  readonly status: number;
  readonly code?: number;
  /** The revision it was served in. */
  readonly dialect?: string;
}

interface Row {
  readonly row: string;
  readonly method?: string;
  /** What the message says of its revision. */
  readonly meta?: JsonObject;
  readonly headers?: Record<string, string>;
  readonly session?: 'live' | 'unknown';
  readonly outcome: Outcome;
}

const modern = { [KEY.revision]: MODERN, [KEY.capabilities]: {} };
const future = { [KEY.revision]: '2027-01-01', [KEY.capabilities]: {} };
const legacy = { [KEY.revision]: '2025-06-18', [KEY.capabilities]: {} };
const says = (version: string) => ({ 'mcp-protocol-version': version });
const about = { 'mcp-method': 'tools/call', 'mcp-name': 'about' };
const asAbout = { ...says(MODERN), ...about };
const newer = says('2027-01-01');

const bad = (code: number, status = 400): Outcome => ({ status, code });
const ok = (dialect: string): Outcome => ({ status: 200, dialect: `mcp/${dialect}` });

const ROWS: readonly Row[] = [
  { row: '1 an unknown stream by header', headers: { 'x-sse-client-id': 'nobody' }, outcome: bad(-32600) },
  { row: '2 a claim that is no text', meta: { ...modern, [KEY.revision]: 7 }, headers: asAbout, outcome: bad(-32602) },
  { row: '2 a claim that is null', meta: { ...modern, [KEY.revision]: null }, outcome: bad(-32602) },
  { row: '2 a claim without capabilities', meta: { [KEY.revision]: MODERN }, headers: asAbout, outcome: bad(-32602) },
  { row: '2 the same, without headers', meta: { [KEY.revision]: MODERN }, outcome: bad(-32602) },
  { row: '2 capabilities that are none', meta: { ...modern, [KEY.capabilities]: [] }, outcome: bad(-32602) },
  { row: '3 a modern request', meta: modern, headers: asAbout, outcome: ok(MODERN) },
  {
    row: '3 in a session, which counts for nothing',
    meta: modern,
    headers: asAbout,
    session: 'live',
    outcome: ok(MODERN),
  },
  { row: '3 in no session', meta: modern, headers: asAbout, session: 'unknown', outcome: ok(MODERN) },
  { row: '4 without a version header', meta: modern, headers: about, outcome: bad(-32020) },
  { row: '4 the same in a session', meta: modern, headers: about, session: 'live', outcome: bad(-32020) },
  {
    row: '4 with another version header',
    meta: modern,
    headers: { ...about, ...says('2025-11-25') },
    outcome: bad(-32020),
  },
  { row: '4 of a version to come, without a header', meta: future, outcome: bad(-32020) },
  { row: '5 of a version to come', meta: future, headers: { ...about, ...newer }, outcome: bad(-32022) },
  { row: '5 the same in a session', meta: future, headers: newer, session: 'live', outcome: bad(-32022) },
  { row: '6 a handshake', method: 'initialize', outcome: { status: 200 } },
  { row: '6 with a header of its era', method: 'initialize', headers: says('2025-06-18'), outcome: { status: 200 } },
  { row: '7 with a modern header', method: 'initialize', headers: says(MODERN), outcome: bad(-32020) },
  {
    row: '7 the same in a session',
    method: 'initialize',
    headers: says(MODERN),
    session: 'live',
    outcome: bad(-32020),
  },
  { row: '8 a second handshake', method: 'initialize', session: 'live', outcome: bad(-32600) },
  { row: '9 in a session', session: 'live', outcome: ok('2025-06-18') },
  { row: '9 with its header', session: 'live', headers: says('2025-06-18'), outcome: ok('2025-06-18') },
  { row: '9 with a header of its era', session: 'live', headers: says('2025-03-26'), outcome: ok('2025-06-18') },
  { row: '10 in an unknown session', session: 'unknown', outcome: bad(-32600, 404) },
  { row: '10 whatever the header', session: 'unknown', headers: newer, outcome: bad(-32600, 404) },
  { row: '10 also modern', session: 'unknown', headers: says(MODERN), outcome: bad(-32600, 404) },
  { row: '11 a modern header and no claim', headers: asAbout, outcome: bad(-32602) },
  { row: '12 an unknown header', headers: newer, outcome: bad(-32022) },
  { row: '12 a header that is no version', headers: says('newest'), outcome: bad(-32022) },
  { row: '12 in a session, too', headers: newer, session: 'live', outcome: bad(-32022) },
  { row: '13 nothing said', outcome: ok('2025-03-26') },
  { row: '14 the header alone, 2024', headers: says('2024-11-05'), outcome: ok('2024-11-05') },
  { row: '14 the header alone, 2025', headers: says('2025-11-25'), outcome: ok('2025-11-25') },
  { row: '15 a handshake revision claimed', meta: legacy, headers: says('2025-06-18'), outcome: bad(-32022) },
  { row: '15 without a header', meta: legacy, outcome: bad(-32022) },
  { row: '15 with a modern header', meta: legacy, headers: asAbout, outcome: bad(-32022) },
];

let scene: HttpScene;
let peer: HttpPeer;
before(async () => {
  scene = await stageHttp();
  peer = await scene.peer('2025-06-18').open();
});
after(() => scene.close());

function post(message: Json, headers: Record<string, string> = {}): Promise<Heard> {
  const body = JSON.stringify(message);
  return send(scene.port, { method: 'POST', path: '/mcp', headers: { accept: BOTH, ...JSON_TYPE, ...headers }, body });
}

function inSession(session: Row['session']): Record<string, string> {
  return session === undefined ? {} : { 'mcp-session-id': session === 'live' ? String(peer.session) : 'unknown' };
}

const HANDSHAKE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'peer', version: '1' },
};

for (const { row, method = 'tools/call', meta, headers, session, outcome } of ROWS) {
  test(`request ${row}`, async () => {
    const own: JsonObject = method === 'initialize' ? HANDSHAKE : { name: 'about' };
    const params = { ...own, ...(meta === undefined ? {} : { _meta: meta }) };
    const heard = await post({ jsonrpc: '2.0', id: 'r', method, params }, { ...headers, ...inSession(session) });
    assert.equal(heard.status, outcome.status, await heard.text());
    const answer = await heard.json();
    assert.equal((answer['error'] as JsonObject | undefined)?.['code'], outcome.code);
    if (outcome.dialect !== undefined) assert.equal(JSON.parse(textIn(answer)).dialect, outcome.dialect);
    if (row.startsWith('6')) assert.match(String(heard.headers['mcp-session-id']), /^[\w-]{32}$/);
    else assert.equal(heard.headers['mcp-session-id'], undefined);
  });
}

test('request 1 the query names no stream', async () => {
  const heard = await send(scene.port, {
    method: 'POST',
    path: '/messages?sessionId=nobody',
    headers: JSON_TYPE,
    body: '{}',
  });
  assert.equal(heard.status, 404);
  const none = await send(scene.port, { method: 'POST', path: '/messages', headers: JSON_TYPE, body: '{}' });
  assert.equal(none.status, 404);
});

test('a refused revision names what is spoken and what was asked', async () => {
  const heard = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: future } }, newer);
  const { data } = (await heard.json())['error'] as { data: JsonObject };
  assert.deepEqual(data['supported'], [MODERN]);
  assert.equal(data['requested'], '2027-01-01');
});

test('a missing claim is refused with the keys it lacks', async () => {
  const heard = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, says(MODERN));
  const { data } = (await heard.json())['error'] as { data: JsonObject };
  assert.deepEqual(data['missing'], [KEY.revision, KEY.capabilities]);
});

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const NOTICE = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
const ANSWER = { jsonrpc: '2.0', id: 99, result: {} };
const CLAIMED = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: modern } };

interface Other {
  readonly what: string;
  readonly message: Json;
  readonly headers?: Record<string, string>;
  readonly session?: Row['session'];
  readonly outcome: Outcome;
}

const OTHERS: readonly Other[] = [
  { what: 'a batch with a modern message', message: [PING, CLAIMED], outcome: bad(-32600) },
  { what: 'the same in a session', message: [CLAIMED], session: 'live', outcome: bad(-32600) },
  { what: 'a batch in a session without batches', message: [PING], session: 'live', outcome: bad(-32600) },
  { what: 'a batch in no session', message: [PING], outcome: { status: 200 } },
  { what: 'a batch in an unknown session', message: [PING], session: 'unknown', outcome: bad(-32600, 404) },
  { what: 'a batch of notices', message: [NOTICE, NOTICE], outcome: { status: 202 } },
  {
    what: 'a batch under a header without batches',
    message: [PING],
    headers: says('2025-06-18'),
    outcome: bad(-32600),
  },
  { what: 'a batch under a modern header', message: [PING], headers: says(MODERN), outcome: bad(-32600) },
  { what: 'a batch under a header nobody knows', message: [PING], headers: newer, outcome: bad(-32022) },
  { what: 'an empty batch', message: [], outcome: bad(-32600) },
  { what: 'an empty batch in a session', message: [], session: 'live', outcome: bad(-32600) },
  { what: 'a notice in a session', message: NOTICE, session: 'live', outcome: { status: 202 } },
  { what: 'a notice in no session', message: NOTICE, outcome: { status: 202 } },
  { what: 'a notice under a modern header', message: NOTICE, headers: says(MODERN), outcome: { status: 202 } },
  { what: 'a modern notice', message: { ...NOTICE, params: { _meta: modern } }, outcome: { status: 202 } },
  { what: 'a notice in an unknown session', message: NOTICE, session: 'unknown', outcome: bad(-32600, 404) },
  { what: 'a notice nobody knows', message: { jsonrpc: '2.0', method: 'x' }, outcome: { status: 202 } },
  { what: 'an answer nobody waits for', message: ANSWER, session: 'live', outcome: { status: 202 } },
  { what: 'an answer in no session', message: ANSWER, outcome: bad(-32600) },
  { what: 'an answer under a modern header', message: ANSWER, headers: says(MODERN), outcome: bad(-32600) },
  { what: 'an answer in an unknown session', message: ANSWER, session: 'unknown', outcome: bad(-32600, 404) },
  { what: 'a number', message: 7, outcome: bad(-32600) },
  { what: 'null', message: null, outcome: bad(-32600) },
  { what: 'a text in a session', message: 'ping', session: 'live', outcome: bad(-32600) },
  { what: 'an empty object', message: {}, outcome: bad(-32600) },
  { what: 'an empty object in a session', message: {}, session: 'live', outcome: bad(-32600) },
  { what: 'an empty object under a modern header', message: {}, headers: says(MODERN), outcome: bad(-32600) },
  { what: 'a request of JSON-RPC 1.0', message: { ...PING, jsonrpc: '1.0' }, outcome: bad(-32600) },
  { what: 'a request with the id null', message: { ...PING, id: null }, outcome: bad(-32600) },
  {
    what: 'a request with the id true in a session',
    message: { ...PING, id: true },
    session: 'live',
    outcome: bad(-32600),
  },
  { what: 'a request with the id 1.5', message: { ...PING, id: 1.5 }, session: 'live', outcome: bad(-32600) },
  {
    what: 'a modern request with the id null',
    message: { ...CLAIMED, id: null },
    headers: { ...says(MODERN), 'mcp-method': 'tools/list' },
    outcome: bad(-32600),
  },
];

for (const { what, message, headers, session, outcome } of OTHERS) {
  test(`${what} gets ${outcome.status}`, async () => {
    const heard = await post(message, { ...headers, ...inSession(session) });
    const text = await heard.text();
    assert.equal(heard.status, outcome.status, text);
    if (outcome.status === 202) assert.equal(text, '');
    else if (outcome.code !== undefined) {
      const answer = JSON.parse(text) as JsonObject;
      assert.equal((answer['error'] as JsonObject)['code'], outcome.code);
      const id = (message as JsonObject | null)?.['id'];
      assert.ok([undefined, null, Number.isInteger(id) ? id : null].includes(answer['id'] as number), text);
    }
  });
}

const GETS: readonly {
  what: string;
  headers?: Record<string, string>;
  session?: Row['session'];
  status: number;
  method?: string;
}[] = [
  { what: 'in an unknown session', session: 'unknown', status: 404 },
  {
    what: 'in an unknown session, to take up a stream',
    session: 'unknown',
    headers: { 'last-event-id': '0.0' },
    status: 404,
  },
  { what: 'of a modern client', headers: says(MODERN), status: 405 },
  { what: 'of a client without its session', headers: says('2025-11-25'), status: 405 },
  { what: 'of who wants JSON', headers: { accept: 'application/json' }, status: 405 },
  { what: 'of who says nothing', status: 405 },
  { what: 'of who takes no stream, in a session', session: 'live', headers: { accept: 'text/html' }, status: 406 },
  { what: 'with a version nobody knows', session: 'live', headers: newer, status: 400 },
  { what: 'to take up what never was', session: 'live', headers: { 'last-event-id': 'x' }, status: 400 },
  { what: 'in an unknown session', method: 'DELETE', session: 'unknown', status: 404 },
  { what: 'without a session', method: 'DELETE', status: 405 },
  { what: 'of a modern client', method: 'DELETE', headers: says(MODERN), status: 405 },
  { what: 'in a session', method: 'PUT', session: 'live', status: 405 },
  { what: 'in a session', method: 'PATCH', session: 'live', status: 405 },
  { what: 'of a page nobody knows', method: 'OPTIONS', status: 405 },
];

for (const { what, headers = {}, session, status, method = 'GET' } of GETS) {
  test(`${method} ${what} gets ${status}`, async () => {
    const heard = await send(scene.port, { method, path: '/mcp', headers: { ...headers, ...inSession(session) } });
    const text = await heard.text();
    assert.equal(heard.status, status, text);
    if (status === 405) assert.ok(String(heard.headers.allow).includes('POST'));
    else assert.equal(JSON.parse(text).jsonrpc, '2.0');
  });
}

test('the live session lives on after all of this', async () => {
  assert.equal((await peer.request('ping')).status, 200);
});
