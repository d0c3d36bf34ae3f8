import { createServer, type Server } from '../../src/catalog/server.ts';
import { Fault, ToolError } from '../../src/model/fault.ts';
import { upstreamFault } from '../../src/providers/upstream/upstream-fault.ts';
import { HttpFault } from '../../src/providers/upstream/verdict.ts';
import { StoreError } from '../../src/store/store.ts';

/** Planted in everything that is thrown. No shape by which it could be known for a secret, so that the log has it. */
export const PLANTED = 'xyzzy-planted-7421';

const trap = (): never => {
  throw new Error(`trap ${PLANTED}`);
};

function circular(): Error {
  const error = new Error(`circular ${PLANTED}`);
  error.cause = error;
  return error;
}

function unreadable(): Error {
  const error = new Error('unreadable');
  for (const member of ['message', 'stack', 'name']) Object.defineProperty(error, member, { get: trap });
  return Object.assign(error, { path: PLANTED });
}

/** More causes than there is stack to follow them. */
const DEEP = Array.from({ length: 20_000 }).reduce<Error>(
  (cause) => new Error(`deep ${PLANTED}`, { cause }),
  new Error(PLANTED),
);

/** Everything foreign code may throw, by a name for it. */
export const THROWN: Readonly<Record<string, () => unknown>> = {
  error: () => new Error(`message ${PLANTED}`),
  path: () =>
    Object.assign(new Error(`ENOENT: no such file, open '/srv/${PLANTED}'`), {
      code: 'ENOENT',
      path: `/srv/${PLANTED}`,
    }),
  stack: () => Object.assign(new Error('stack'), { stack: `Error: stack\n    at ${PLANTED} (/srv/${PLANTED}.js:1:1)` }),
  cause: () => new Error('cause', { cause: new Error(`inner ${PLANTED}`) }),
  faultCause: () => new Fault('E_INTERNAL', 'Deliberate words', { cause: new Error(PLANTED) }),
  toolCause: () => new ToolError('Deliberate words', { cause: new Error(PLANTED) }),
  aggregate: () => new AggregateError([new Error(PLANTED)], PLANTED),
  text: () => PLANTED,
  bigint: () => 74_217_421n,
  symbol: () => Symbol(PLANTED),
  nothing: () => undefined,
  object: () => ({ message: PLANTED, code: 'E_INTERNAL' }),
  circular,
  circularObject: () => {
    const object: Record<string, unknown> = { PLANTED };
    object['self'] = object;
    return object;
  },
  deep: () => DEEP,
  unreadable,
  proxy: () => new Proxy({}, { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap }),
  unknownCode: () => new Fault(PLANTED as 'E_INTERNAL', PLANTED),
  unsendable: () => new Fault('E_UNKNOWN_RESOURCE', 'Deliberate words', { data: { n: 10n as never }, cause: PLANTED }),
  unsendableToo: () => new Fault('E_BUSY', 'Deliberate words', { data: { toJSON: trap as never } }),
  store: () => new StoreError('away', `redis://me:secret@10.0.0.5/${PLANTED} is gone`),
  upstream: () => upstreamFault('far', new HttpFault('broken', `Cannot reach "http://10.0.0.5/${PLANTED}"`)),
  huge: () => new Error(`${PLANTED} ${'x'.repeat(1_000_000)}`),
  controls: () => new Error(`${PLANTED}\r\n{"level":"error"}\u001b[2J\u2028\u202e`),
};

/** A server in which everything there is throws everything, at once and later. */
export function createPlanted(): Server {
  const server = createServer({ name: 'planted', version: '1.0.0' });
  for (const [name, make] of Object.entries(THROWN)) {
    const now = (): never => {
      throw make();
    };
    const later = async (): Promise<never> => {
      await new Promise((resolve) => setImmediate(resolve));
      throw make();
    };
    server.tool(name, {}, now);
    server.tool(`${name}Later`, {}, later);
    server.resource(name, `planted:${name}`, {}, later);
    server.template(name, `planted:${name}/{id}`, { complete: { id: now } }, now);
    server.prompt(name, { arguments: { a: { complete: later } } }, now);
  }
  return server;
}
