// The floor: read the body, parse, answer, stringify. No session, no check, no schema, no header looked at.

import { createServer } from 'node:http';
import { announce, DESCRIPTION, NAMES, workOf } from './http-tools.mjs';

const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const tools = NAMES.map((name) => ({ name, description: DESCRIPTION, inputSchema }));
const modern = { resultType: 'complete' };

function resultOf({ method, params }) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'floor', version: '1.0.0' },
      };
    case 'tools/list':
      return { tools };
    case 'tools/call':
      return { content: [{ type: 'text', text: workOf(params.name)(params.arguments.text) }] };
  }
}

function answer(text, response) {
  const message = JSON.parse(text);
  if (message.id === undefined) return void response.writeHead(202).end();
  const result = resultOf(message);
  const stamped = message.params?._meta === undefined ? result : { ...modern, ...result };
  const body = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: stamped });
  const head = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  response.writeHead(200, message.method === 'initialize' ? { ...head, 'mcp-session-id': 'floor' } : head).end(body);
}

announce(
  createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => answer(Buffer.concat(chunks).toString('utf8'), response));
  }),
);
