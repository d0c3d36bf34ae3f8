import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { runTool, textIn } from '../../../../test/packs/run-tool.ts';
import { Fault } from '../../../model/fault.ts';
import type { JsonObject } from '../../../model/json.ts';
import { describeResponse } from './describe-response.ts';
import { createHttp } from './http.ts';

let target: Server;
let url = '';
let port = 0;
let respond: RequestListener = () => {};

before(async () => {
  target = createServer((request, response) => respond(request, response));
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  ({ port } = target.address() as AddressInfo);
  url = `http://127.0.0.1:${port}/`;
});
after(() => target.close());

const request = (input: JsonObject, allow: string[] = ['127.0.0.1']) =>
  runTool(createHttp({ allow, ports: [port], limits: { responseBytes: 1000 } }), { name: 'http_request', input });

describe('http_request', () => {
  test('answers in the members HyperServe uses', async () => {
    respond = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'text/plain', 'x-a': ['1', '2'], date: 'now' }).end('hello');
    const answer = JSON.parse(textIn(await request({ url })));
    assert.deepEqual(answer, {
      body: 'hello',
      headers: {
        'Content-Type': ['text/plain'],
        'X-A': ['1', '2'],
        Date: ['now'],
        Connection: ['close'],
        'Transfer-Encoding': ['chunked'],
      },
      status: '200 OK',
      statusCode: 200,
    });
  });

  test('tells an error status as an answer, since the request worked', async () => {
    respond = (_request, response) => void response.writeHead(404).end();
    assert.deepEqual(JSON.parse(textIn(await request({ url }))).status, '404 Not Found');
  });

  test('sends method, headers and body', async () => {
    respond = (incoming, response) => {
      let body = '';
      incoming.on('data', (chunk) => {
        body += chunk;
      });
      incoming.on('end', () => response.end(`${incoming.method} ${incoming.headers['x-test']} ${body}`));
    };
    const ask = { url, method: 'PUT', headers: { 'X-Test': 'yes' }, body: 'data' };
    assert.equal(JSON.parse(textIn(await request(ask))).body, 'PUT yes data');
  });

  test('cuts a long body and says so', async () => {
    respond = (_request, response) => void response.end('é'.repeat(1000));
    const { body, truncated } = JSON.parse(textIn(await request({ url })));
    assert.equal(body, 'é'.repeat(500));
    assert.equal(truncated, true);
  });

  test('fails clearly and says nothing of the machine', async () => {
    const cases: [JsonObject, string[], RegExp][] = [
      [{ url }, [], /^Cannot request "127\.0\.0\.1": it leads to an address that is not on the public internet$/],
      [{ url: `http://localhost:${port}/` }, [], /not on the public internet/],
      [{ url: 'http://169.254.169.254/latest/meta-data/' }, [], /not on the public internet|allowed ports/],
      [{ url: 'file:///etc/passwd' }, [], /only http and https/],
      [{ url: 'http://127.0.0.1:1/' }, ['127.0.0.1'], /port 1/],
      [{ url, method: 'CONNECT' }, ['127.0.0.1'], /method "CONNECT"/],
    ];
    for (const [input, allow, message] of cases) {
      await assert.rejects(request(input, allow), (error) => {
        assert.ok(error instanceof Fault);
        assert.equal(error.code, 'E_TOOL_ERROR');
        assert.match(error.message, message);
        return true;
      });
    }
  });

  test('refuses arguments of the wrong shape', async () => {
    for (const input of [
      {},
      { url: 7 },
      { url, headers: { a: 1 } },
      { url, headers: [] },
      { url, body: {} },
      { url, proxy: 'x' },
    ]) {
      await assert.rejects(
        request(input as JsonObject),
        (error) => error instanceof Fault && error.code === 'E_BAD_ARGUMENTS',
      );
    }
  });
});

test('a body is told as text where it is text, in the charset it names', () => {
  const of = (body: Buffer, type: string, truncated = false) =>
    describeResponse({ url: '', status: 299, reason: '', headers: [['content-type', type]], body, truncated });
  assert.equal(of(Buffer.from([0xfc]), 'text/plain; charset=latin1').body, 'ü');
  assert.deepEqual(of(Buffer.from([0xff, 0xfe]), 'image/png').encoding, 'base64');
  assert.equal(of(Buffer.from([1, 0, 2]), 'text/plain').encoding, 'base64');
  assert.equal(of(Buffer.from('x'), 'text/plain; charset=no-such-charset').encoding, 'base64');
  assert.equal(of(Buffer.from([0x61, 0xc3]), 'text/plain', true).body, 'a');
  assert.equal(of(Buffer.from('x'), 'text/plain').status, '299');
});
