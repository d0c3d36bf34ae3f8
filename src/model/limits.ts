/** Every limit, with its default. `docs/limits.md` has a row for each; a test holds the two together. */
export const LIMITS = {
  messageBytes: { default: 4 * 1024 * 1024, says: 'Longest message accepted, in bytes' },
  jsonDepth: { default: 64, says: 'Deepest nesting of objects and arrays in a message' },
  batchLength: { default: 100, says: 'Most messages in one batch' },
  inFlight: { default: 1024, says: 'Most requests being answered at once for one peer' },
  callDeadlineMs: {
    default: 60_000,
    says: 'Longest time a call may run, not counting the time it waits for the client',
  },
  askDeadlineMs: { default: 600_000, says: 'Longest time to wait for the client to answer a question' },
  askRounds: { default: 16, says: 'Most rounds of questions one call may need' },
  stateBytes: { default: 65_536, says: 'Longest sealed request state, in bytes' },
  stateTtlMs: { default: 900_000, says: 'Longest time between a question in a reply and its answer' },
  outputBytes: { default: 16 * 1024 * 1024, says: 'Longest result a call may return, in bytes' },
  noticesPerSecond: {
    default: 200,
    says: 'Most progress and log messages one call may send in a second; more are dropped',
  },
  pageSize: { default: 1000, says: 'Most items on one page of a list' },
  watchedUris: { default: 1000, says: 'Most resources one peer may subscribe to' },
  listens: { default: 16, says: 'Most open subscription streams of one peer' },
  sessions: { default: 10_000, says: 'Most sessions open at once' },
  sessionIdleMs: { default: 1_800_000, says: 'Longest time a session may be silent before it ends' },
  streamsKept: { default: 32, says: 'Most streams of one session kept for a client that comes back' },
  outboxEvents: { default: 1000, says: 'Most events kept for one stream' },
  outboxBytes: { default: 4 * 1024 * 1024, says: 'Most bytes of events kept for one stream' },
  outboxTtlMs: { default: 300_000, says: 'Longest time the events of a stream are kept after its last one' },
  drainMs: { default: 10_000, says: 'Longest time in-flight calls may take to finish at shutdown' },
} as const satisfies Record<string, { default: number; says: string }>;

export type LimitName = keyof typeof LIMITS;
export type Limits = Readonly<Record<LimitName, number>>;

/** The defaults with some of them replaced. */
export function limitsWith(changes: Partial<Limits> = {}): Limits {
  const limits = Object.fromEntries(Object.entries(LIMITS).map(([name, limit]) => [name, limit.default])) as Record<
    LimitName,
    number
  >;
  for (const [name, value] of Object.entries(changes)) {
    if (!Object.hasOwn(LIMITS, name)) throw new TypeError(`Unknown limit: "${name}"`);
    if (!Number.isSafeInteger(value) || value < 0)
      throw new RangeError(`Limit "${name}" must be a non-negative integer`);
    limits[name as LimitName] = value;
  }
  return limits;
}
