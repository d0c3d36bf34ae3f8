// The floor: read a chunk, split it into lines, parse, answer, one write an answer. No session, no check, no schema.

import { COUNT, DESCRIPTION, OTHERS } from './tools.mjs';

const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const tools = ['echo', ...OTHERS].map((name) => ({ name, description: DESCRIPTION, inputSchema }));
const modern = { resultType: 'complete' };

function resultOf({ method, params }) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'floor', version: String(COUNT) },
      };
    case 'tools/list':
      return { tools };
    case 'tools/call':
      return { content: [{ type: 'text', text: params.arguments.text }] };
  }
}

function answer(line) {
  const message = JSON.parse(line);
  if (message.id === undefined) return;
  const result = resultOf(message);
  const stamped = message.params?._meta === undefined ? result : { ...modern, ...result };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: stamped })}\n`);
}

let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop();
  for (const line of lines) answer(line);
});
