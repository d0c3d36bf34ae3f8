import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '../model/json.ts';
import { action } from './action.ts';
import type { Dialect } from './dialect.ts';
import { REVISIONS } from './mcp/revisions.ts';
import { createSpeakers, type Footing, type SpeakerOptions } from './opening.ts';

const server = { name: 's', version: '1' };
const create = (options: Partial<SpeakerOptions> = {}) => createSpeakers({ revisions: REVISIONS, server, ...options });
const speakers = create();
const first = (pinned?: Dialect): Footing => ({ pinned, voice: pinned ?? speakers.first });
const pin = (revision: string): Dialect => speakers.find(revision) as Dialect;
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const modern = (method = 'tools/list', meta: JsonObject = META): JsonObject => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: { _meta: meta },
});
const plain = (method: string, params?: Json): JsonObject => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  ...(params === undefined ? {} : { params }),
});

/** How a message is taken, in which dialect, and why not. */
function taken(message: Json, footing = first(), by = speakers): [string, string, string?] {
  const opening = by.open(message, footing);
  return opening.how === 'refused'
    ? [opening.how, opening.dialect.name, opening.fault.code]
    : [opening.how, opening.dialect.name];
}

test('a request that claims a revision is spoken in it, on any footing', () => {
  for (const footing of [first(), first(pin('2024-11-05')), { pinned: undefined, voice: action }])
    assert.deepEqual(taken(modern(), footing), ['spoken', 'mcp/2026-07-28']);
});

test('a claim that is wrong or unknown is refused, an initialize with it too', () => {
  for (const method of ['tools/list', 'initialize', 'ping']) {
    assert.equal(
      taken(modern(method, { ...META, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }))[2],
      'E_UNSUPPORTED_REVISION',
    );
    assert.equal(
      taken(modern(method, { ...META, 'io.modelcontextprotocol/protocolVersion': '2025-11-25' }))[2],
      'E_UNSUPPORTED_REVISION',
    );
    assert.equal(
      taken(modern(method, { ...META, 'io.modelcontextprotocol/clientCapabilities': null }))[2],
      'E_BAD_CLAIM',
    );
  }
});

test('a handshake opens the revision it asks for, or the newest', () => {
  for (const { id, opens } of REVISIONS) {
    const [how, name] = taken(plain('initialize', { protocolVersion: id }));
    assert.deepEqual([how, name], ['handshake', `mcp/${opens === 'handshake' ? id : '2025-11-25'}`]);
  }
  for (const params of [undefined, {}, [], { protocolVersion: 5 }, { protocolVersion: 'toString' }] as Json[])
    assert.deepEqual(taken(plain('initialize', params)), ['handshake', 'mcp/2025-11-25']);
});

test('a second handshake is refused, but a notification by that name is nothing', () => {
  assert.equal(taken(plain('initialize', {}), first(pin('2025-06-18')))[2], 'E_ALREADY_INITIALIZED');
  assert.deepEqual(taken({ jsonrpc: '2.0', method: 'initialize' }, first(pin('2025-06-18'))), [
    'spoken',
    'mcp/2025-06-18',
  ]);
});

test('what claims nothing is spoken in the pinned revision, or is not open yet', () => {
  assert.deepEqual(taken(plain('tools/list'), first(pin('2025-03-26'))), ['spoken', 'mcp/2025-03-26']);
  assert.deepEqual(taken(plain('tools/list')), ['unopened', 'mcp/2024-11-05']);
  assert.equal(taken(plain('server/discover'))[2], 'E_BAD_CLAIM');
  assert.deepEqual(taken(plain('server/discover'), first(pin('2025-03-26'))), ['spoken', 'mcp/2025-03-26']);
});

test('what is no request is refused in the words the peer has heard so far', () => {
  const heard = { pinned: undefined, voice: pin('2026-07-28') };
  for (const message of [
    {},
    { jsonrpc: '1.0' },
    { jsonrpc: '2.0', id: null, method: 'x' },
    { jsonrpc: '2.0', id: 1.5, method: 'initialize' },
  ])
    assert.equal(taken(message as JsonObject, heard)[1], 'mcp/2026-07-28', JSON.stringify(message));
  assert.deepEqual(taken(plain('ping'), heard), ['unopened', 'mcp/2024-11-05'], 'a ping is answered at any time');
  assert.equal(taken(5, heard)[1], 'mcp/2026-07-28');
});

test('a batch is taken where the pinned revision has them, and nowhere else', () => {
  const batch = [plain('ping')];
  assert.equal(taken(batch, first(pin('2025-03-26')))[0], 'batch');
  for (const revision of ['2024-11-05', '2025-06-18', '2025-11-25'])
    assert.equal(taken(batch, first(pin(revision)))[2], 'E_BATCH');
  assert.equal(taken(batch)[2], 'E_BATCH');
  assert.equal(taken([], first(pin('2025-03-26')))[2], 'E_BATCH');
  assert.equal(taken([plain('ping'), modern()], first(pin('2025-03-26')))[2], 'E_BATCH');
});

test('an action is known by its type, or by what the peer spoke first', () => {
  assert.equal(taken({ type: 'list_actions' })[1], 'action');
  assert.equal(taken({ type: 'anything' })[1], 'action');
  assert.equal(taken({ type: 'x', method: 'y' })[1], 'mcp/2024-11-05');
  assert.equal(taken({ jsonrpc: '2.0', type: 'list_actions' })[1], 'mcp/2024-11-05');
  for (const footing of [first(pin('2025-06-18')), { pinned: undefined, voice: pin('2026-07-28') }]) {
    assert.equal(taken({ type: 'anything' }, footing)[1], footing.voice.name, 'a peer that speaks MCP hears MCP');
    assert.equal(taken({ type: 'invoke' }, footing)[1], 'action');
  }
  const acting = { pinned: undefined, voice: action };
  for (const message of [{}, 5, null, [], [1], { x: 1 }] as Json[])
    assert.equal(taken(message, acting)[1], 'action', JSON.stringify(message));
  assert.equal(taken(plain('ping'), acting)[1], 'mcp/2024-11-05');
  assert.equal(taken({ type: 'list_actions' }, first(), create({ actions: false }))[1], 'mcp/2024-11-05');
});

test('the bare form speaks until a handshake or a claim', () => {
  const bare = create({ bare: true });
  const footing = { pinned: undefined, voice: bare.first };
  assert.deepEqual(taken(plain('tools/list'), footing, bare), ['spoken', 'bare']);
  assert.equal(taken(modern(), footing, bare)[1], 'mcp/2026-07-28');
  assert.equal(taken(plain('initialize', {}), footing, bare)[0], 'handshake');
});

test('a server of one era says so to the other', () => {
  const [newest, ...rest] = REVISIONS;
  const only = create({ revisions: [newest!] });
  assert.equal(
    taken(plain('initialize', { protocolVersion: '2025-11-25' }), { pinned: undefined, voice: only.first }, only)[2],
    'E_UNSUPPORTED_REVISION',
  );
  const old = create({ revisions: rest });
  assert.equal(taken(modern(), first(), old)[2], 'E_UNSUPPORTED_REVISION');
  assert.deepEqual(old.claimable, []);
  assert.throws(() => create({ revisions: [] }), TypeError);
});

test('a peer that names no revision is taken for one that had no header for it, or for the oldest where that is asked', () => {
  assert.equal(speakers.assumed.revision, '2025-03-26');
  assert.equal(create({ assumes: 'oldest' }).assumed.revision, '2024-11-05');
});
