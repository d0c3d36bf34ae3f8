import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createServer } from './sdk-1.mjs';

await createServer().connect(new StdioServerTransport());
