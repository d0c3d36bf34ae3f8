import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '../../model/fault.ts';
import type { JsonObject } from '../../model/json.ts';
import { CAPABILITIES_KEY, CLIENT_KEY, checkClaim, claimOf, REVISION_KEY, readPeer } from './claim.ts';

test('a message claims what its metadata says, and nothing where there is none', () => {
  assert.equal(claimOf({ params: { _meta: { [REVISION_KEY]: 'x' } } }), 'x');
  assert.equal(claimOf({ params: { _meta: { [REVISION_KEY]: null } } }), null, 'a wrong claim is still one');
  for (const message of [
    {},
    { params: [] },
    { params: null },
    { params: {} },
    { params: { _meta: [] } },
    { params: { _meta: {} } },
    { _meta: { [REVISION_KEY]: 'x' } },
  ])
    assert.equal(claimOf(message as JsonObject), undefined, JSON.stringify(message));
});

test('a claim that is not whole is refused, naming every key it lacks', () => {
  const missing = (meta: JsonObject): unknown => {
    try {
      checkClaim(meta);
      return undefined;
    } catch (error) {
      assert.equal((error as Fault).code, 'E_BAD_CLAIM');
      return (error as Fault).data?.['missing'];
    }
  };
  assert.equal(missing({ [REVISION_KEY]: 'x', [CAPABILITIES_KEY]: {} }), undefined);
  assert.deepEqual(missing({}), [REVISION_KEY, CAPABILITIES_KEY]);
  assert.deepEqual(missing({ [REVISION_KEY]: 5, [CAPABILITIES_KEY]: {} }), [REVISION_KEY]);
  for (const wrong of [[], null, 'x', true])
    assert.deepEqual(missing({ [REVISION_KEY]: 'x', [CAPABILITIES_KEY]: wrong }), [CAPABILITIES_KEY]);
});

test('a client that names itself wrongly is nobody', () => {
  const peer = (client: unknown) => readPeer({ [CAPABILITIES_KEY]: { roots: {} }, [CLIENT_KEY]: client } as JsonObject);
  assert.deepEqual(peer({ name: 'n', version: '1' }), {
    client: { name: 'n', version: '1' },
    capabilities: { roots: {} },
  });
  for (const wrong of [undefined, null, 'x', [], {}, { name: 'n' }, { name: 5, version: '1' }])
    assert.equal(peer(wrong).client, undefined);
});
