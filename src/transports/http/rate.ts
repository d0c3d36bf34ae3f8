import type { Eventually } from '../../model/json.ts';
import type { Log } from '../../model/log.ts';
import type { Principal } from '../../model/peer.ts';
import { waitText } from '../../model/rate.ts';
import type { Handler, HttpExchange } from './exchange.ts';
import { refuse } from './refuse.ts';

/** What became of a request that wanted to be let in. */
export type Admission = { readonly ok: true } | { readonly ok: false; readonly retryAfterMs: number };

/** How the names of buckets begin. */
const KEYS = 'rate/';

export interface RateOptions {
  /** Takes one request from the bucket of this name; best without a promise. */
  take(name: string): Eventually<Admission>;
  readonly log: Log;
}

/**
 * Lets in as many requests of one caller as its bucket holds and refuses the others before their bodies are read.
 * Where nobody can count, everybody is let in: an engine that is away must not take the server with it.
 */
export function rateLimited(handler: Handler, { take, log }: RateOptions): Handler {
  let counts = true;
  // A principal is the same object as long as its token is known, and its name is built once.
  const names = new WeakMap<Principal, string>();
  const nameOf = (exchange: HttpExchange): string => {
    const { principal } = exchange;
    if (principal === undefined) return `${KEYS}${callerOf(exchange)}`;
    const known = names.get(principal);
    if (known !== undefined) return known;
    const name = `${KEYS}${callerOf(exchange)}`;
    names.set(principal, name);
    return name;
  };
  const uncounted = (exchange: HttpExchange, error: unknown): void | Promise<void> => {
    // Said once an outage, since there may be many requests in one.
    if (counts) log('warn', 'Requests are not counted until the store works again', { error });
    counts = false;
    return handler(exchange);
  };
  const admit = (exchange: HttpExchange, admission: Admission): void | Promise<void> => {
    counts = true;
    return admission.ok ? handler(exchange) : tooMany(exchange, admission.retryAfterMs);
  };
  return (exchange) => {
    let admission: Eventually<Admission>;
    try {
      admission = take(nameOf(exchange));
    } catch (error) {
      return uncounted(exchange, error);
    }
    if (!(admission instanceof Promise)) return admit(exchange, admission);
    return admission.then(
      (settled) => admit(exchange, settled),
      (error: unknown) => uncounted(exchange, error),
    );
  };
}

/** Whose bucket a request is taken from: that of its principal or, where nobody is known, of its address. */
export function callerOf({ principal, remote }: Pick<HttpExchange, 'principal' | 'remote'>): string {
  return principal === undefined ? `address:${networkOf(remote)}` : `principal:${principal.id}`;
}

const MAPPED = '::ffff:';
const GROUPS = 8;

/** An IPv4 address, or the half of an IPv6 address that names a network: its owner has all the addresses inside. */
export function networkOf(remote: string): string {
  if (!remote.includes(':')) return remote;
  if (remote.startsWith(MAPPED) && remote.includes('.')) return remote.slice(MAPPED.length);
  const [head = '', tail] = remote.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = new Array<string>(Math.max(0, GROUPS - first.length - last.length)).fill('0');
  return [...first, ...gap, ...last].slice(0, GROUPS / 2).join(':');
}

function tooMany(exchange: HttpExchange, retryAfterMs: number): void {
  const wait = waitText(retryAfterMs);
  refuse(exchange, {
    status: 429,
    reason: 'rate',
    limited: true,
    message: `Too many requests: wait ${wait}, then send this one again. It was not read, and nothing was done`,
    data: { code: 'E_RATE', retryAfterMs },
    headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) },
  });
}
