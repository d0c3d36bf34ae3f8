import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { DESCRIPTION, NAMES, resultOf, walk, zodInputOf } from './tools.mjs';

async function step({ text }, { mcpReq }) {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken !== undefined) {
    await walk((progress, total) =>
      mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total } }),
    );
  }
  return resultOf('steps', text);
}

/** A server with the tools of the bench. */
export function createServer() {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  for (const name of NAMES) {
    const handler = name === 'steps' ? step : ({ text }) => resultOf(name, text);
    server.registerTool(name, { description: DESCRIPTION, inputSchema: zodInputOf(z, name) }, handler);
  }
  return server;
}
