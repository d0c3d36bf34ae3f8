import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { Connection, headerOf, messagesOf } from './http-connection.mjs';
import { Template } from './messages.mjs';

/** A server that answers every request with the next of these lists of pieces, each in a write of its own. */
async function answering(...answers) {
  const server = createServer((socket) => {
    socket.setNoDelay(true).on('data', async () => {
      for (const piece of answers.shift() ?? []) {
        socket.write(piece);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const connection = new Connection(server.address().port);
  const end = () => {
    connection.close();
    server.close();
  };
  return { connection, end };
}

const plain = (body) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nMcp-Session-Id: s1\r\n\r\n${body}`;

test('Connection reads an answer with a length, however it is cut', async () => {
  const whole = plain('{"id":1}');
  const { connection, end } = await answering([whole], [whole.slice(0, 9), whole.slice(9, 60), whole.slice(60)]);
  for (const _ of [1, 2]) {
    const answer = await connection.ask('x');
    assert.deepEqual(messagesOf(answer), [{ id: 1 }]);
    assert.equal(headerOf(answer, 'mcp-session-id'), 's1');
  }
  end();
});

test('Connection counts what nobody reads, and sees a status that changed', async () => {
  const refused = plain('{"id":1}').replace('200 OK', '503 NO');
  const { connection, end } = await answering([plain('{"id":1}')], [plain('{"id":2}')], [refused]);
  const size = plain('{"id":1}').length;
  assert.deepEqual(await connection.count('x'), { status: 200, size });
  assert.deepEqual(await connection.count('x'), { status: 200, size });
  assert.deepEqual(await connection.count('x'), { status: 503, size });
  end();
});

test('Connection finds the end of a stream of chunks, also when it is cut in two', async () => {
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  const chunks = 'f\r\ndata: {"id":7}\n\r\n1\r\n\n\r\n';
  const { connection, end } = await answering([`${head}${chunks}0\r`, '\n\r\n'], [plain('{"id":8}')]);
  assert.deepEqual(messagesOf(await connection.ask('x')), [{ id: 7 }]);
  assert.deepEqual(messagesOf(await connection.ask('x')), [{ id: 8 }]);
  end();
});

test('Connection knows an answer without a body', async () => {
  const { connection, end } = await answering(['HTTP/1.1 202 Accepted\r\n\r\n']);
  assert.equal((await connection.ask('x')).status, 202);
  end();
});

test('Template changes every place of its id and keeps its length', () => {
  const template = new Template('{"id":100000000,"text":"text 100000000"}');
  const { length } = template.bytes;
  const id = template.turn();
  assert.deepEqual(JSON.parse(template.bytes.toString()), { id, text: `text ${id}` });
  assert.equal(template.bytes.length, length);
  assert.notEqual(template.turn(), id);
});
