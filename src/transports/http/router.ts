import type { Handler } from './exchange.ts';
import { refuse } from './refuse.ts';

export interface Route {
  readonly path: string;
  readonly handler: Handler;
}

/** Sends an exchange to the handler of its path. A slash at the end makes no difference. */
export function createRouter(routes: readonly Route[], otherwise: Handler = notFound): Handler {
  const table = new Map<string, Handler>();
  for (const { path, handler } of routes) {
    const key = keyOf(path);
    if (table.has(key)) throw new TypeError(`Cannot serve "${path}": the path is already taken`);
    table.set(key, handler);
  }
  // Most requests go where the one before went, and comparing a short path is quicker than looking it up.
  let last = '';
  let found = otherwise;
  return (exchange) => {
    const { path } = exchange;
    if (path !== last) {
      found = table.get(path) ?? table.get(withoutSlash(path)) ?? otherwise;
      last = path;
    }
    return found(exchange);
  };
}

const notFound: Handler = (exchange) => refuse(exchange, { status: 404, reason: 'path', message: 'Nothing is here' });

function keyOf(path: string): string {
  if (!path.startsWith('/') || /[?#\s]/.test(path)) {
    throw new TypeError(`Cannot serve "${path}": a path starts with "/" and has no query`);
  }
  return withoutSlash(path);
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
