// The floor over HTTP: read the body, parse, answer, stringify. No header is looked at but the session of a DELETE.

import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { answerTo } from './floor.mjs';
import { announce, STEPS } from './tools.mjs';

const sessions = new Map();

function answer(text, response) {
  const message = JSON.parse(text);
  if (message.id === undefined) return void response.writeHead(202).end();
  const { _meta: meta, name } = message.params ?? {};
  if (name === 'steps' && meta?.progressToken !== undefined) return stream(message, response);
  const body = answerTo(message);
  const head = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  if (message.method === 'initialize') {
    const id = randomBytes(16).toString('hex');
    sessions.set(id, { id, client: message.params.clientInfo });
    head['mcp-session-id'] = id;
  }
  response.writeHead(200, head).end(body);
}

function stream(message, response) {
  const { progressToken } = message.params._meta;
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (let progress = 1; progress <= STEPS; progress += 1) {
    const params = { progressToken, progress, total: STEPS };
    const notice = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params });
    response.write(`event: message\ndata: ${notice}\n\n`);
  }
  response.end(`event: message\ndata: ${answerTo(message)}\n\n`);
}

/** An event stream that says nothing. */
function listen(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.flushHeaders();
}

function end(request, response) {
  sessions.delete(request.headers['mcp-session-id']);
  response.writeHead(204).end();
}

announce(
  createServer((request, response) => {
    if (request.method === 'GET') return listen(response);
    if (request.method === 'DELETE') return end(request, response);
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => answer(Buffer.concat(chunks).toString('utf8'), response));
  }),
);
