/** Where Redis is and how to be let in, as a URL says. */
export interface RedisAddress {
  readonly kind: 'single' | 'sentinel' | 'cluster';
  readonly tls: boolean;
  readonly nodes: readonly RedisNode[];
  /** The name under which the sentinels watch the server; empty but for `sentinel`. */
  readonly master: string;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
  /** Begins the name of every key and channel. */
  readonly prefix: string;
  /** Longest wait for an answer; after it the engine counts as away. */
  readonly timeoutMs: number;
}

export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

const PORTS = { single: 6379, sentinel: 26_379, cluster: 6379 } as const;
const PREFIX = 'parley:';
const TIMEOUT_MS = 1000;
const LONGEST_MS = 600_000;

const URL_FORM = /^redis(s)?(?:\+(sentinel|cluster))?:\/\/(?:([^@/?#]*)@)?([^@/?#]+)((?:\/[^?#]*)?)(?:\?([^#]*))?$/i;
const NODE_FORM = /^(\[[0-9a-f:.%]+\]|[^:[\]\s]+)(?::(\d{1,5}))?$/i;
const PREFIX_FORM = /^[A-Za-z0-9:._-]{0,64}$/;

/** An answer to a bad URL: it never repeats the URL, which may hold a password. */
const refuse = (wrong: string): TypeError => new TypeError(`Cannot open store: ${wrong}`);

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refuse('its URL has a "%" that begins no escaped character; write "%25" for the sign itself');
  }
}

function readNode(text: string, port: number): RedisNode {
  const match = NODE_FORM.exec(text);
  const found = Number(match?.[2] ?? port);
  if (match === null || found < 1 || found > 65_535)
    throw refuse('each of its servers must read "host" or "host:port", separated by commas');
  return { host: (match[1] as string).replace(/^\[|\]$/g, ''), port: found };
}

function readDatabase(text: string): number {
  if (text === '') return 0;
  const database = Number(text);
  if (!(Number.isSafeInteger(database) && database >= 0))
    throw refuse('the path of its URL must be the number of a database');
  return database;
}

function readOptions(query: string): { readonly prefix: string; readonly timeoutMs: number } {
  const options = new URLSearchParams(query);
  for (const name of options.keys())
    if (name !== 'prefix' && name !== 'timeout')
      throw refuse(`its URL has an unknown option ${JSON.stringify(name)}; known options: "prefix", "timeout"`);
  const prefix = options.get('prefix') ?? PREFIX;
  if (!PREFIX_FORM.test(prefix))
    throw refuse('its option "prefix" may hold up to 64 letters, digits, colons, dots, hyphens and underscores');
  const timeoutMs = Number(options.get('timeout') ?? TIMEOUT_MS);
  if (!(Number.isSafeInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= LONGEST_MS))
    throw refuse(`its option "timeout" must be whole milliseconds from 1 to ${LONGEST_MS}`);
  return { prefix, timeoutMs };
}

function readPath(kind: RedisAddress['kind'], path: string): { readonly master: string; readonly database: number } {
  const [first = '', second = '', ...rest] = path.split('/').slice(1).map(decode);
  if (rest.length > 0 || (second !== '' && kind !== 'sentinel')) throw refuse('the path of its URL is too long');
  if (kind === 'sentinel') {
    if (first === '') throw refuse('the path of its URL must name the master the sentinels watch');
    return { master: first, database: readDatabase(second) };
  }
  const database = readDatabase(first);
  if (kind === 'cluster' && database !== 0) throw refuse('a cluster has no other database than 0');
  return { master: '', database };
}

/** Reads the URL of a Redis server, of sentinels or of a cluster. */
export function readAddress(url: string): RedisAddress {
  const match = URL_FORM.exec(url);
  if (match === null) throw refuse('its URL must read "redis://user:password@host:port/database?prefix=name:"');
  const [, secure, form = 'single', login = '', servers = '', path = '', query = ''] = match;
  const kind = form.toLowerCase() as RedisAddress['kind'];
  const nodes = servers.split(',').map((text) => readNode(text, PORTS[kind]));
  if (kind === 'single' && nodes.length > 1)
    throw refuse('several servers are sentinels ("redis+sentinel:") or a cluster ("redis+cluster:")');
  const colon = login.indexOf(':');
  const [username, password] = colon === -1 ? [login, ''] : [login.slice(0, colon), login.slice(colon + 1)];
  return {
    kind,
    tls: secure !== undefined,
    nodes,
    ...readPath(kind, path),
    username: username === '' ? undefined : decode(username),
    password: password === '' ? undefined : decode(password),
    ...readOptions(query),
  };
}
