import { DESCRIPTION, OTHERS } from './tools.mjs';

const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

/** Fills a server with the tools of the bench; `parley stdio --module` calls it. */
export default function fill(server) {
  for (const name of ['echo', ...OTHERS]) server.tool(name, { description: DESCRIPTION, input }, ({ text }) => text);
}
