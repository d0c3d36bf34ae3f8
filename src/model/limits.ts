/** Every limit, with its default. `docs/limits.md` has a row for each; a test holds the two together. */
export const LIMITS = {
  messageBytes: { default: 4 * 1024 * 1024, says: 'Longest message accepted, in bytes' },
  jsonDepth: { default: 64, says: 'Deepest nesting of objects and arrays in a message' },
  jsonKeys: { default: 50_000, says: 'Most members of all objects in a message together' },
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
  sessionsPerPrincipal: {
    default: 100,
    says: 'Most sessions of one principal; the one that was silent for longest makes room',
  },
  sessionIdleMs: { default: 1_800_000, says: 'Longest time a session may be silent before it ends' },
  streams: { default: 5000, says: 'Most event streams open at once' },
  streamsPerPrincipal: { default: 16, says: 'Most event streams one principal may open and keep open' },
  requestsPerPrincipal: {
    default: 1024,
    says: 'Most HTTP requests of one principal being answered at once, over all its sessions',
  },
  streamsKept: { default: 32, says: 'Most streams of one session kept for a client that comes back' },
  outboxEvents: { default: 1000, says: 'Most events kept for one stream' },
  outboxBytes: { default: 4 * 1024 * 1024, says: 'Most bytes of events kept for one stream' },
  outboxTtlMs: { default: 300_000, says: 'Longest time the events of a stream are kept after its last one' },
  replicaLeaseMs: {
    default: 2000,
    says: 'Longest silence of a replica before others answer for it; it gives signs of life four times as often',
  },
  sessionCacheMs: {
    default: 60_000,
    says: 'Longest time a replica remembers a silent session that another tells of changes, before it reads it again',
  },
  urlBytes: { default: 8192, says: 'Longest path and query of an HTTP request, in bytes' },
  headerBytes: { default: 16_384, says: 'Longest head of an HTTP request, in bytes' },
  headerCount: { default: 200, says: 'Most header fields of an HTTP request' },
  headerMs: { default: 10_000, says: 'Longest time the head of an HTTP request may take to arrive' },
  requestMs: { default: 30_000, says: 'Longest time a whole HTTP request, body included, may take to arrive' },
  bodyBytesPerSecond: {
    default: 1024,
    says: 'Slowest a body may arrive, on average over its time, once it has taken five seconds',
  },
  idleSocketMs: { default: 72_000, says: 'Longest time an HTTP connection is kept open between two requests' },
  connections: { default: 10_000, says: 'Most open HTTP connections; more are closed at once' },
  unreadBytes: {
    default: 1024 * 1024,
    says: 'Most output waiting for a reader of an event stream; one that is further behind is cut off, to come back later',
  },
  readerMs: { default: 30_000, says: 'Longest time a reader over HTTP may take no output while there is some' },
  streamAfterMs: {
    default: 1000,
    says: 'Longest time an answer may take before its response becomes a stream a client can come back to',
  },
  retryMs: { default: 1000, says: 'Time after which a client that was let go should come back' },
  tokenBytes: { default: 8192, says: 'Longest access token, in bytes' },
  tokensKept: { default: 10_000, says: 'Most access tokens whose check is remembered' },
  tokenKeptMs: { default: 60_000, says: 'Longest time an access token is taken without being checked again' },
  tokensFileMs: { default: 1000, says: 'Longest time before a change of the file of tokens is looked for' },
  badTokens: { default: 50, says: 'Most bad or unchecked access tokens one address may send at once' },
  badTokensPerMinute: { default: 60, says: 'Most bad access tokens one address may send in a minute after that' },
  badAddressesKept: { default: 10_000, says: 'Most addresses remembered for the bad access tokens they sent' },
  issuerBytes: { default: 262_144, says: 'Longest answer of an authorization server, in bytes' },
  issuerMs: { default: 5000, says: 'Longest time an authorization server may take to answer' },
  issuerAsks: { default: 64, says: 'Most questions open at an authorization server' },
  scopeSetsKept: { default: 64, says: 'Most different sets of scopes whose lists are kept' },
  tasks: { default: 1000, says: 'Most tasks kept for one principal, or for all who have none together' },
  taskTtlMs: { default: 86_400_000, says: 'Longest time a task and its result are kept, from its creation' },
  taskDefaultTtlMs: { default: 3_600_000, says: 'Time a task is kept when the client does not say how long' },
  taskPollMs: { default: 1000, says: 'How often clients are told to ask for a task; no task is kept for less' },
  taskLeaseMs: {
    default: 30_000,
    says: 'Longest silence of the process that runs a task before the task counts as failed',
  },
  descriptionLength: { default: 10_000, says: 'Longest text that describes an item, in characters; the rest is cut' },
  definitionLength: {
    default: 262_144,
    says: 'Longest definition of an item with its schemas, as JSON, in characters; a longer one is left out',
  },
  itemsPerSource: { default: 10_000, says: 'Most items of one kind that one source may offer; more are left out' },
  logLineLength: { default: 16_384, says: 'Longest line of the log, in characters; what is beyond is cut out' },
  keepAliveMs: { default: 15_000, says: 'Time between signs of life on an open stream' },
  isolateProcesses: { default: 4, says: 'Most processes for the isolated items of one module' },
  isolateCalls: { default: 1, says: 'Most calls one isolated process runs at once; they fail together if it crashes' },
  isolateQueue: { default: 100, says: 'Most calls waiting for a process of one module; more are refused' },
  isolateMemoryBytes: { default: 512 * 1024 * 1024, says: 'Most memory of an isolated process, in bytes' },
  isolateCpuMs: { default: 60_000, says: 'Most CPU time of one call in an isolated process' },
  isolateStartMs: { default: 15_000, says: 'Longest time an isolated process may take to load its module' },
  isolateGraceMs: {
    default: 1000,
    says: 'Longest time a call that was cancelled or timed out may go on in an isolated process before that is killed',
  },
  isolateIdleMs: { default: 60_000, says: 'Longest time isolated processes without work are kept, all but one' },
  isolateRestartMs: { default: 10_000, says: 'Longest wait before an isolated process that keeps ending is replaced' },
  isolatePrintBytes: {
    default: 1024 * 1024,
    says: 'Most bytes an isolated process may print in a second; it waits before it may print more',
  },
  isolatePrintLines: {
    default: 100,
    says: 'Most printed lines of an isolated process that are logged in a second; more are left out',
  },
  farewellMs: {
    default: 1000,
    says: 'Longest time a server that ends still serves requests on connections that are open, each as the last',
  },
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
