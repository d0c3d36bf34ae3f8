import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { REVISIONS } from '../dialects/mcp/revisions.ts';
import { createSpeakers } from '../dialects/opening.ts';
import { Standing } from './standing.ts';

const speakers = createSpeakers({ revisions: REVISIONS, server: { name: 'x', version: '1' }, bare: false });
const older = speakers.assumed;
const modern = speakers.modern ?? assert.fail();
const hello = { client: { name: 'c', version: '1' }, capabilities: { roots: {} } };

describe('Standing', () => {
  it('knows nobody, remembers nothing and speaks the first dialect before anything is said', () => {
    const standing = new Standing({ speakers, gate: 'answered' });
    assert.equal(standing.pinned, undefined);
    assert.equal(standing.speaker, speakers.first);
    assert.equal(standing.pushed, undefined);
    assert.equal(standing.memory(), undefined);
    assert.equal(standing.peer.client, undefined);
    assert.equal(standing.ready(), undefined);
    assert.equal(standing.isEarly({ how: 'unopened', dialect: older }), true);
  });

  it('answers what it cannot read in the first dialect it understood', () => {
    const standing = new Standing({ speakers, gate: 'answered' });
    standing.understood(modern);
    standing.understood(older);
    assert.equal(standing.voice, modern);
    standing.open(older, hello);
    assert.equal(standing.speaker, older);
  });

  it('is ready when the client says so, and only after the handshake was answered', async () => {
    const standing = new Standing({ speakers, gate: 'answered' });
    standing.becomeReady();
    assert.equal(standing.pushed, undefined);
    standing.open(older, hello);
    assert.equal(standing.pushed, undefined);
    const waits = [standing.ready(), standing.ready()];
    standing.becomeReady();
    standing.becomeReady();
    await Promise.all(waits);
    assert.equal(standing.pushed, older);
    assert.equal(standing.ready(), undefined);
    assert.deepEqual(standing.memory(), { revision: older.revision, peer: hello, level: 'info', ready: true });
  });

  it('holds requests back until the client is ready, where the gate says so', () => {
    const standing = new Standing({ speakers, gate: 'ready' });
    standing.open(older, hello);
    assert.equal(standing.isEarly({ how: 'spoken', dialect: older }), true);
    assert.equal(standing.isEarly({ how: 'spoken', dialect: modern }), false);
    standing.becomeReady();
    assert.equal(standing.isEarly({ how: 'spoken', dialect: older }), false);
  });

  it('goes on where a peer stood before', () => {
    const revision = older.revision ?? '';
    const standing = new Standing({ speakers, gate: 'ready' }, { revision, peer: hello, level: 'error', ready: true });
    assert.equal(standing.pinned, older);
    assert.equal(standing.level, 'error');
    assert.deepEqual(standing.peer, hello);
    assert.equal(standing.pushed, older);
    assert.deepEqual(standing.memory(), { revision, peer: hello, level: 'error', ready: true });
  });

  it('remembers nothing of a peer whose revision is not spoken any more', () => {
    const standing = new Standing({ speakers, gate: 'answered' }, { revision: 'gone' });
    assert.equal(standing.pinned, undefined);
    assert.equal(standing.memory(), undefined);
  });
});
