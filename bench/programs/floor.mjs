// What both floors answer. Nothing is checked, nothing is kept back, everything is turned into text anew.

import { DESCRIPTION, inputOf, NAMES, workOf } from './tools.mjs';

const tools = NAMES.map((name) => ({ name, description: DESCRIPTION, inputSchema: inputOf(name) }));

function plainResult({ method, params }) {
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
    default:
      return {};
  }
}

/** The answer to a request, as text. */
export function answerTo(message) {
  const result = plainResult(message);
  const modern = message.params?._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined;
  return JSON.stringify({
    jsonrpc: '2.0',
    id: message.id,
    result: modern ? { resultType: 'complete', ...result } : result,
  });
}
