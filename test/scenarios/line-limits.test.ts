import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { createHost } from '../../src/host/host.ts';
import { type Limits, limitsWith } from '../../src/model/limits.ts';
import { serveStdio } from '../../src/transports/stdio.ts';
import { createFixture } from './fixture.ts';
import { MODERN } from './revisions.ts';

const _meta = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
};

function call(data: unknown, id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', arguments: data, _meta } });
}

const nested = (depth: number): unknown => (depth === 0 ? 0 : [nested(depth - 1)]);
const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 0]));
/** The members of a call besides its data: four of the message, three of its params, two of the claim and one of its own. */
const OF_A_CALL = 4 + 3 + 2 + 2;

interface Row {
  readonly limit: keyof Limits | 'id';
  readonly value: number;
  line(size: number): string;
  readonly code: string;
}

const ROWS: readonly Row[] = [
  {
    limit: 'messageBytes',
    value: 1000,
    line: (size) => call({ text: 'x'.repeat(size - call({ text: '' }).length) }),
    code: 'E_TOO_LARGE',
  },
  { limit: 'jsonDepth', value: 10, line: (size) => call({ text: 'x', data: nested(size - 3) }), code: 'E_TOO_DEEP' },
  {
    limit: 'jsonKeys',
    value: 50,
    line: (size) => call({ text: 'x'.repeat(300), data: members(size - OF_A_CALL) }),
    code: 'E_TOO_WIDE',
  },
  { limit: 'id', value: 256, line: (size) => call({ text: 'x' }, 'i'.repeat(size)), code: 'E_BAD_MESSAGE' },
];

for (const { limit, value, line, code } of ROWS) {
  test(`a line within ${limit} is answered, one beyond is refused once, and the stream goes on`, async () => {
    const { server } = createFixture();
    const limits = limitsWith(limit === 'id' ? {} : { [limit]: value });
    const host = await createHost({ server: server.info, limits, mounts: [{ provider: server }] });
    const input = new PassThrough();
    const output = new PassThrough();
    const serving = serveStdio({
      input,
      output,
      limits,
      log: host.log,
      converse: (outlet) => host.converse({ outlet, shared: true }),
    });
    input.write(`${line(value)}\n${line(value + 1)}\n`);
    input.end('{"jsonrpc":"2.0","id":"last","method":"ping"}\n');
    output.setEncoding('utf8');
    let heard = '';
    output.on('data', (text: string) => {
      heard += text;
    });
    await serving.closed;
    host.close();
    const answers = heard.trim().split('\n');
    assert.equal(answers.length, 3, heard.slice(0, 1000));
    const refusals = answers.filter((answer) => answer.includes(`"code":"${code}"`));
    assert.equal(refusals.length, 1, heard.slice(0, 1000));
    assert.equal(answers.filter((answer) => answer.includes('"content"')).length, 1);
    assert.ok(answers.some((answer) => answer.includes('"id":"last"')));
  });
}
