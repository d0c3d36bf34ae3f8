import { DESCRIPTION, NAMES, workOf } from './http-tools.mjs';

const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

/** Fills a server with the tools of the bench; `parley serve --module` calls it. */
export default function fill(server) {
  for (const name of NAMES) {
    const work = workOf(name);
    server.tool(name, { description: DESCRIPTION, input }, ({ text }) => work(text));
  }
}
