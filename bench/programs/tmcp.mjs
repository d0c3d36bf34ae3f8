import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { McpServer } from 'tmcp';
import { z } from 'zod';
import { DESCRIPTION, NAMES, resultOf, walk, zodInputOf } from './tools.mjs';

export const server = new McpServer(
  { name: 'bench', version: '1.0.0', description: 'bench' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
);

async function step({ text }) {
  await walk((done, total) => server.progress(done, total));
  return resultOf('steps', text);
}

for (const name of NAMES) {
  const handler = name === 'steps' ? step : ({ text }) => resultOf(name, text);
  server.tool({ name, description: DESCRIPTION, schema: zodInputOf(z, name) }, handler);
}
