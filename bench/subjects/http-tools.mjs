import { COUNT, DESCRIPTION, OTHERS } from './tools.mjs';

export const MEGABYTE = 'm'.repeat(1_000_000);

/** What each tool that is called does with its text; the rest of the list is never called. */
export const WORK = {
  echo: (text) => text,
  measure: (text) => String(text.length),
  produce: () => MEGABYTE,
};

/** The tools of every subject over HTTP, by name. */
export const NAMES = [...Object.keys(WORK), ...OTHERS.slice(0, Math.max(0, COUNT - Object.keys(WORK).length))];

export { DESCRIPTION };

export const workOf = (name) => WORK[name] ?? WORK.echo;

/** Says where the subject is, for whoever started it. */
export function announce(server) {
  server.listen(0, '127.0.0.1', () => console.log(`Serving at http://127.0.0.1:${server.address().port}/mcp`));
}
