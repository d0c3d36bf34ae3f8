// Parley as a function that takes a Request and gives a Response, the way serverless platforms call it.
import { createHttpHandler } from 'parley-mcp';
import { server } from './server.ts';

const mcp = createHttpHandler(server, { allowedHosts: ['mcp.example'] });

export default {
  fetch: async (request: Request): Promise<Response> => (await mcp).fetch(request),
};
