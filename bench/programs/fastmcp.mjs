import { FastMCP } from 'fastmcp';
import { z } from 'zod';
import { DESCRIPTION, NAMES, walk, workOf, zodInputOf } from './tools.mjs';

async function step({ text }, { reportProgress }) {
  await walk((progress, total) => reportProgress({ progress, total }));
  return workOf('steps')(text);
}

export const server = new FastMCP({ name: 'bench', version: '1.0.0' });
for (const name of NAMES) {
  const execute = name === 'steps' ? step : async ({ text }) => workOf(name)(text);
  server.addTool({ name, description: DESCRIPTION, parameters: zodInputOf(z, name), execute });
}
