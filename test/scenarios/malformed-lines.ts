// Lines a hostile or broken client may send, and what each must be answered with: an oracle that shares no code with the server.

export interface Malformed {
  readonly line: string | Buffer;
  /** The code of the one error due, or none where none is. */
  readonly code: number | undefined;
}

/** A small generator of numbers that are the same every time for the same seed. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Random = ReturnType<typeof createRandom>;
const PARSE = -32700;
const BAD_MESSAGE = -32600;
const BAD_PARAMS = -32602;
const UNKNOWN_METHOD = -32601;
const NOT_FOUND = -32002;

const GOOD = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}';
const json = (value: unknown): string => JSON.stringify(value);
const request = (members: object): string => json({ jsonrpc: '2.0', id: 1, method: 'tools/list', ...members });
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const pick = <T>(random: Random, values: readonly T[]): T => values[random(values.length)] as T;

const KINDS: readonly ((random: Random) => Malformed)[] = [
  // A good message cut short is never JSON, but for the cut that leaves nothing.
  (random) => ({ line: GOOD.slice(0, 1 + random(GOOD.length - 1)), code: PARSE }),
  (random) => ({ line: `${GOOD}${pick(random, ['}', ']', ' x', ',', GOOD])}`, code: PARSE }),
  (random) => ({
    line: pick(random, ['nonsense', "{'a':1}", '{a:1}', '01', '+1', '.5', 'NaN', 'undefined', '\u00a0', '\v']),
    code: PARSE,
  }),
  (random) => {
    const bytes = Buffer.from(`"${'x'.repeat(10)}"`);
    bytes[1 + random(10)] = pick(random, [0xff, 0xfe, 0xc0, 0x80, 0xf8]);
    return { line: bytes, code: PARSE };
  },
  (random) => ({ line: Buffer.from([0x22, 1 + random(8), 0x22]), code: PARSE }),
  (random) => ({ line: json(pick(random, [0, 1.5, true, false, null, 'text', ''])), code: BAD_MESSAGE }),
  (random) => ({ line: nested(65 + random(3000)), code: BAD_MESSAGE }),
  (random) => ({ line: json(pick<unknown>(random, [[], [1], [[]], [JSON.parse(GOOD)], [{}]])), code: BAD_MESSAGE }),
  (random) => ({ line: request({ jsonrpc: pick(random, ['1.0', '2', 2, null, true, {}, []]) }), code: BAD_MESSAGE }),
  (random) => ({
    line: request({ id: pick<unknown>(random, [null, true, 1.5, {}, [], 1e300, -0.1, 2 ** 53]) }),
    code: BAD_MESSAGE,
  }),
  (random) => ({ line: request({ method: pick<unknown>(random, [1, null, {}, [], false]) }), code: BAD_MESSAGE }),
  () => ({ line: json({ jsonrpc: '2.0', id: 1 }), code: BAD_MESSAGE }),
  () => ({ line: json({ jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: '' } }), code: BAD_MESSAGE }),
  (random) => ({
    line: json({ jsonrpc: '2.0', id: 1, result: pick<unknown>(random, [1, null, 'x', []]) }),
    code: BAD_MESSAGE,
  }),
  (random) => ({ line: request({ params: pick<unknown>(random, [1, 'x', true, null]) }), code: BAD_MESSAGE }),
  (random) => ({ line: request({ params: pick<unknown>(random, [[], [1], [{}]]) }), code: BAD_PARAMS }),
  (random) => ({
    line: request({ params: { cursor: pick<unknown>(random, ['x', '', 5, null, {}]) } }),
    code: BAD_PARAMS,
  }),
  (random) => ({
    line: request({ method: pick(random, ['x', '', 'toString', 'tools', 'Tools/List', 'server/discover']) }),
    code: UNKNOWN_METHOD,
  }),
  (random) => ({
    line: request({
      method: 'tools/call',
      params: pick<object>(random, [{}, { name: 5 }, { name: 'gone' }, { name: 'echo', arguments: [] }]),
    }),
    code: BAD_PARAMS,
  }),
  (random) => ({
    line: request({ method: 'resources/read', params: { uri: `test://gone/${random(1000)}` } }),
    code: NOT_FOUND,
  }),
  () => ({ line: request({ method: 'initialize' }), code: BAD_MESSAGE }),
  // What nobody may answer.
  (random) => ({
    line: json({
      jsonrpc: '2.0',
      method: pick(random, ['x', 'notifications/cancelled', 'tools/call', 'initialize']),
      params: pick<unknown>(random, [undefined, 1, [], {}]),
    }),
    code: undefined,
  }),
  (random) => ({ line: json({ jsonrpc: '2.0', id: random(9), result: {} }), code: undefined }),
  (random) => ({ line: json({ jsonrpc: '2.0', id: random(9), error: { code: -1, message: 'no' } }), code: undefined }),
  (random) => ({ line: pick(random, ['', ' ', '\t', '  \t ', '\r']), code: undefined }),
];

/** As many malformed lines as wanted, of every kind. */
export function* malformed(count: number, seed: number): Generator<Malformed> {
  const random = createRandom(seed);
  for (let at = 0; at < count; at += 1) yield (KINDS[at % KINDS.length] as (typeof KINDS)[number])(random);
}
