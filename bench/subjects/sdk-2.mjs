import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { DESCRIPTION, OTHERS } from './tools.mjs';

serveStdio(() => {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  for (const name of ['echo', ...OTHERS]) {
    server.registerTool(
      name,
      { description: DESCRIPTION, inputSchema: z.object({ text: z.string() }) },
      ({ text }) => ({ content: [{ type: 'text', text }] }),
    );
  }
  return server;
});
