import { setTimeout as later } from 'node:timers/promises';

/** Stands in everything that no client may ever see. */
export const INNER = 'inner-7731';

type Misdeed = () => unknown;

const hostile = (): object =>
  new Proxy(
    {},
    {
      get() {
        throw new Error(INNER);
      },
      ownKeys() {
        throw new Error(INNER);
      },
      getPrototypeOf() {
        throw new Error(INNER);
      },
      has() {
        throw new Error(INNER);
      },
    },
  );

function toss(thrown: unknown): never {
  throw thrown;
}

/** Everything that can be thrown. */
export const BAD_THROWS: Readonly<Record<string, Misdeed>> = {
  error: () => toss(new Error(INNER)),
  async: async () => toss(new TypeError(INNER)),
  late: async () => {
    await later(5);
    toss(new Error(INNER));
  },
  text: () => toss(INNER),
  nothing: () => toss(undefined),
  null: () => toss(null),
  number: async () => toss(7731),
  symbol: () => toss(Symbol(INNER)),
  object: () => toss({ message: INNER, code: -1, stack: INNER }),
  proxy: () => toss(hostile()),
  asyncProxy: async () => toss(hostile()),
  getter: () =>
    toss(
      Object.defineProperties(new Error(INNER), {
        message: { get: () => toss(new Error(INNER)) },
        stack: { get: () => toss(new Error(INNER)) },
        name: { get: () => toss(new Error(INNER)) },
        cause: { get: () => toss(new Error(INNER)) },
      }),
    ),
  revoked: () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    toss(proxy);
  },
  cyclicCause: () => {
    const error = new Error(INNER);
    error.cause = error;
    toss(error);
  },
  thenable: () => ({
    // biome-ignore lint/suspicious/noThenProperty: what a careless tool returns
    then: (_: unknown, reject: (error: unknown) => void) => reject(new Error(INNER)),
  }),
  twice: () => ({
    // biome-ignore lint/suspicious/noThenProperty: what a careless tool returns
    then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => {
      resolve('once');
      reject(new Error(INNER));
      toss(new Error(INNER));
    },
  }),
  stackOverflow: () => {
    const dig = (): number => 1 + dig();
    return dig();
  },
};

function cycle(): object {
  const made: Record<string, unknown> = {};
  made['self'] = made;
  return made;
}

function deep(levels: number): object {
  let made: object = {};
  for (let level = 0; level < levels; level += 1) made = { made };
  return made;
}

/** Everything that cannot be written as JSON, or had better not be. */
export const BAD_RESULTS: Readonly<Record<string, Misdeed>> = {
  cycle,
  bigint: () => ({ value: 1n }),
  bareBigint: () => 1n,
  symbol: () => Symbol('s'),
  function: () => () => 1,
  nan: () => ({ value: Number.NaN, other: Number.POSITIVE_INFINITY }),
  toJsonThrows: () => ({ toJSON: () => toss(new Error(INNER)) }),
  toJsonGrows: () => {
    const bomb = { toJSON: (): unknown => [bomb, bomb] };
    return bomb;
  },
  deep: () => deep(20_000),
  proxy: hostile,
  getter: () => ({
    get value(): unknown {
      return toss(new Error(INNER));
    },
  }),
  nullProto: () => Object.assign(Object.create(null) as object, { value: 1 }),
  badContent: () => ({ content: [{ type: 'text' }] }),
  badBlocks: () => ({ content: [null, 1, { type: 'no such' }] }),
  sparse: () => new Array(1000),
  surrogate: () => 'half \ud800 a pair',
  date: () => new Date(Number.NaN),
  map: () => new Map([[1, 2]]),
  bytes: () => new Uint8Array(1000),
  array: () => Array.from({ length: 1000 }, (_, at) => at),
};

/** Everything that ends a process, or tries. */
export const BAD_ENDS: Readonly<Record<string, Misdeed>> = {
  exit: () => process.exit(3),
  exitCode: () => {
    process.exitCode = 7;
  },
  rejectLate: () => void later(5).then(() => toss(new Error(INNER))),
  rejectNow: () => void Promise.reject(new Error(INNER)),
  rejectProxy: () => void Promise.reject(hostile()),
  throwInTimer: () => void setTimeout(() => toss(new Error(INNER)), 5),
  throwProxyInTimer: () => void setTimeout(() => toss(hostile()), 5),
  throwInTick: () => process.nextTick(() => toss(new Error(INNER))),
  emitError: () => void setTimeout(() => process.emit('uncaughtException', new Error(INNER)), 1),
  removeListeners: () => {
    process.removeAllListeners('uncaughtException');
    process.removeAllListeners('unhandledRejection');
  },
};
