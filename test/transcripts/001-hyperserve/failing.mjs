import { createServer } from 'parley-mcp';

const server = createServer({ name: 'failing', version: '1.0.0' });
server.resource('broken', 'broken://always', {}, () => {
  throw new Error('the database password is hunter2');
});
export default server;
