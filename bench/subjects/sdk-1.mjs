import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';
import { DESCRIPTION, OTHERS } from './tools.mjs';

const server = new McpServer({ name: 'bench', version: '1.0.0' });
for (const name of ['echo', ...OTHERS]) {
  server.registerTool(name, { description: DESCRIPTION, inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
}
await server.connect(new StdioServerTransport());
