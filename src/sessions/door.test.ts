import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CAPABILITIES_KEY, REVISION_KEY } from '../dialects/mcp/claim.ts';
import { REVISIONS } from '../dialects/mcp/revisions.ts';
import { createSpeakers, type SpeakerOptions } from '../dialects/opening.ts';
import { Fault } from '../model/fault.ts';
import type { Json } from '../model/json.ts';
import { silent } from '../model/log.ts';
import { Door, type Said } from './door.ts';
import type { House } from './house.ts';

const NOTHING: Said = { revision: undefined, method: undefined, name: undefined, session: false };
const OLDER = REVISIONS.filter(({ opens }) => opens === 'handshake');
const [NEWEST = assert.fail()] = REVISIONS.filter(({ opens }) => opens === 'every-request');

function doorOf(revisions = REVISIONS, manner: Pick<SpeakerOptions, 'assumes'> = {}): Door {
  const speakers = createSpeakers({ revisions, server: { name: 'x', version: '1' }, ...manner });
  return new Door({ speakers, log: silent } as unknown as House);
}

function claiming(revision: Json, method = 'tools/list'): Json {
  const _meta = { [REVISION_KEY]: revision, [CAPABILITIES_KEY]: {} };
  return { jsonrpc: '2.0', id: 1, method, params: { _meta } };
}

function codeOf(verdict: ReturnType<Door['sort']>): string | undefined {
  return verdict.how === 'refused' ? verdict.reply.fault?.code : verdict.how;
}

describe('Door', () => {
  it('of a server without stateless revisions still refuses a claim, in words an older peer knows', () => {
    const door = doorOf(OLDER);
    const claimed = claiming(NEWEST.id);
    assert.equal(codeOf(door.sort(claimed, NOTHING)), 'E_HEADER_MISMATCH');
    assert.equal(codeOf(door.sort(claimed, { ...NOTHING, revision: NEWEST.id })), 'alone');
    assert.equal(codeOf(door.sort([claimed], NOTHING)), 'E_BATCH');
    assert.equal(door.refuseRevision('x').modern, false);
    assert.equal(door.knows(NEWEST.id), false);
  });

  it('of a server without handshakes opens no session, and refuses in the modern way', () => {
    const door = doorOf([NEWEST]);
    const unreadable = door.refuse(new Fault('E_PARSE', 'no'), NOTHING);
    assert.equal(unreadable.modern, true);
    assert.equal(JSON.parse(unreadable.text).id, undefined);
    assert.equal(
      codeOf(door.sort({ jsonrpc: '2.0', id: 1, method: 'ping' }, { ...NOTHING, revision: NEWEST.id })),
      'E_BAD_CLAIM',
    );
  });

  it('that assumes nobody lets nothing of a handshake in without a session but ping and initialize', () => {
    const [newest = assert.fail()] = OLDER;
    const door = doorOf(REVISIONS, { assumes: 'nobody' });
    const request = (method: string) => ({ jsonrpc: '2.0', id: 1, method });
    for (const said of [NOTHING, { ...NOTHING, revision: newest.id }]) {
      assert.equal(codeOf(door.sort(request('tools/list'), said)), 'E_NOT_INITIALIZED');
      assert.equal(codeOf(door.sort([request('tools/list')], said)), 'E_NOT_INITIALIZED');
      assert.equal(codeOf(door.sort(request('ping'), said)), 'sessionless');
      assert.equal(codeOf(door.sort(request('initialize'), said)), 'opening');
      assert.equal(codeOf(door.sort(request('tools/list'), { ...said, session: true })), 'session');
      assert.equal(codeOf(doorOf().sort(request('tools/list'), said)), 'sessionless');
    }
    const told = { ...NOTHING, revision: NEWEST.id, method: 'tools/list' };
    assert.equal(codeOf(door.sort(claiming(NEWEST.id), told)), 'alone');
  });

  it('compares the name beside a message only where the message has one', () => {
    const door = doorOf();
    const said = { ...NOTHING, revision: NEWEST.id, method: 'tools/call' };
    const call = (params: Json): Json => {
      const _meta = { [REVISION_KEY]: NEWEST.id, [CAPABILITIES_KEY]: {} };
      return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...(params as object), _meta } };
    };
    assert.equal(codeOf(door.sort(call({ name: 'a' }), { ...said, name: 'a' })), 'alone');
    assert.equal(codeOf(door.sort(call({ name: 'a' }), { ...said, name: null })), 'E_HEADER_MISMATCH');
    assert.equal(codeOf(door.sort(call({ name: 'a' }), said)), 'E_HEADER_MISMATCH');
    assert.equal(codeOf(door.sort(call({ name: 7 }), said)), 'alone');
    assert.equal(codeOf(door.sort(call({}), { ...said, name: 'b' })), 'alone');
  });

  it('answers under the id of what it refuses, if that is one', () => {
    const door = doorOf();
    for (const [id, answered] of [
      [0, 0],
      ['', ''],
      [null, undefined],
      [{}, undefined],
    ]) {
      const verdict = door.sort({ ...(claiming(NEWEST.id) as object), id } as Json, NOTHING);
      assert.ok(verdict.how === 'refused');
      assert.equal(JSON.parse(verdict.reply.text).id, answered);
    }
  });
});
