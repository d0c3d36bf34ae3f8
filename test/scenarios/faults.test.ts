import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createServer } from '../../src/catalog/server.ts';
import { createHost } from '../../src/host/host.ts';
import { Fault, type FaultCode } from '../../src/model/fault.ts';
import { FAULTS } from '../../src/model/fault-codes.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { ALL, isModern, KEY } from './revisions.ts';

const PAGE = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
const CODES = Object.keys(FAULTS) as FaultCode[];

test('every code a client can see has a section that says what happened and what to do', () => {
  for (const code of CODES) {
    const [, section] = PAGE.split(`\n## ${code}\n`);
    assert.ok(section !== undefined, `docs/errors.md has no section "${code}"`);
    const [own = ''] = section.split('\n## ');
    assert.match(own, /\*\*What happened\.\*\* \S/, code);
    assert.match(own, /\*\*What to do\.\*\* \S/, code);
  }
});

for (const revision of ALL) {
  test(`${revision} every fault carries its code and an error id that is in the log`, async () => {
    const server = createServer({ name: 'faults', version: '1.0.0' });
    for (const code of CODES) {
      const fail = (): never => {
        throw new Fault(code, 'Said on purpose');
      };
      server.tool(code, {}, fail);
      server.resource(code, `fault:${code}`, {}, fail);
    }
    const logged: unknown[] = [];
    const host = await createHost({
      server: server.info,
      mounts: [{ provider: server }],
      log: (_, __, fields) => logged.push(fields?.['errorId']),
    });
    const peer = host.converse({ outlet: () => {}, shared: true });
    const ask = async (id: number, method: string, params: JsonObject): Promise<JsonObject> => {
      const claim = { [KEY.revision]: revision, [KEY.capabilities]: {} };
      const said = isModern(revision) ? { ...params, _meta: claim } : params;
      const reply = await peer.receive({ jsonrpc: '2.0', id, method, params: said } as Json);
      return JSON.parse(reply?.text ?? '') as JsonObject;
    };
    const clientInfo = { name: 't', version: '1' };
    if (!isModern(revision)) await ask(0, 'initialize', { protocolVersion: revision, capabilities: {}, clientInfo });
    for (const [at, code] of CODES.entries()) {
      const called = await ask(2 * at + 1, 'tools/call', { name: code, arguments: {} });
      const read = await ask(2 * at + 2, 'resources/read', { uri: `fault:${code}` });
      for (const answer of [called, read]) {
        const [found, id] = marksOf(answer);
        assert.equal(found, code, JSON.stringify(answer));
        assert.match(String(id), /^[0-9a-f]{12}$/);
        assert.ok(logged.includes(id), `${code}: ${id} is not in the log`);
      }
    }
    host.close();
  });
}

/** The code and the error id, where the dialect puts them. */
function marksOf({ error, result }: JsonObject): [unknown, unknown] {
  const data = (error as JsonObject | undefined)?.['data'] as JsonObject | undefined;
  if (data !== undefined) return [data['code'], data['errorId']];
  const meta = (result as JsonObject | undefined)?.['_meta'] as JsonObject | undefined;
  return [meta?.['parley-mcp/code'], meta?.['parley-mcp/errorId']];
}
