import { DESCRIPTION, inputOf, NAMES, walk, workOf } from './tools.mjs';

function handlerOf(name) {
  const work = workOf(name);
  if (name !== 'steps') return ({ text }) => work(text);
  return async ({ text }, call) => {
    await walk((done, total) => call.progress(done, total));
    return work(text);
  };
}

/** Fills a server with the tools of the bench; `parley serve --module` and `parley stdio --module` call it. */
export default function fill(server) {
  for (const name of NAMES) server.tool(name, { description: DESCRIPTION, input: inputOf(name) }, handlerOf(name));
}
