import { createServer } from 'parley-mcp';

const server = createServer({ name: 'deployed', version: '1.0.0' });

server.tool(
  'greet',
  {
    description: 'Greets somebody and says which process did it',
    input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
  ({ name }) => `Hello, ${name}, from process ${process.pid}`,
);

export default server;
