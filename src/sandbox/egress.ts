import { type Allowed, readAllowed } from './addresses.ts';
import { dial, type Resolve, resolveName } from './egress-dial.ts';
import { exchange } from './egress-exchange.ts';
import { EGRESS_LIMITS, type EgressLimits, type EgressResponse } from './egress-limits.ts';
import { EgressError, type EgressMethod, headersAfter, readHeaders, readMethod, readTarget } from './egress-rules.ts';

/** The ports of the web, and the two that stand in for them. */
export const EGRESS_PORTS: readonly number[] = [80, 443, 8080, 8443];

export interface EgressOptions {
  /** Addresses, networks and host names that may be reached although they are not on the public internet. */
  readonly allow?: readonly string[];
  readonly ports?: readonly number[];
  readonly limits?: Partial<EgressLimits>;
  /** Finds the addresses of a name; the system's resolver unless given. */
  readonly resolve?: Resolve;
}

export interface EgressRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A client for requests that somebody else thought up. */
export interface Egress {
  request(ask: EgressRequest, signal?: AbortSignal): Promise<EgressResponse>;
}

interface Hop {
  readonly url: URL;
  readonly method: EgressMethod;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer | undefined;
}

/**
 * Makes a client that reaches the public internet and what is allowed, nothing else. Every address is checked before it
 * is connected to, on every redirect, and no proxy, cookie or credential of this process takes part.
 */
export function createEgress(options: EgressOptions = {}): Egress {
  const client = {
    allowed: readAllowed(options.allow ?? []),
    ports: new Set(options.ports ?? EGRESS_PORTS),
    limits: { ...EGRESS_LIMITS, ...options.limits },
    resolve: options.resolve ?? resolveName,
  };
  return { request: (ask, signal) => fetchWithin(client, ask, signal) };
}

interface Client {
  readonly allowed: Allowed;
  readonly ports: ReadonlySet<number>;
  readonly limits: EgressLimits;
  readonly resolve: Resolve;
}

async function fetchWithin(client: Client, ask: EgressRequest, signal?: AbortSignal): Promise<EgressResponse> {
  const { deadlineMs } = client.limits;
  const deadline = AbortSignal.timeout(deadlineMs);
  const either = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
  try {
    return await follow(client, firstHop(client, ask), either);
  } catch (error) {
    if (deadline.aborted) throw new EgressError(`The request took longer than ${deadlineMs} ms`, { cause: error });
    throw error;
  }
}

function firstHop({ ports, limits }: Client, { url, method = 'GET', headers = {}, body }: EgressRequest): Hop {
  const bytes = body === undefined || body === '' ? undefined : Buffer.from(body);
  if (bytes !== undefined && bytes.length > limits.requestBytes) {
    throw new EgressError(`Cannot send a body of ${bytes.length} bytes: at most ${limits.requestBytes} are sent`);
  }
  const verb = readMethod(method);
  if (bytes !== undefined && (verb === 'GET' || verb === 'HEAD')) {
    throw new EgressError(`Cannot send a body with ${verb}`);
  }
  return { url: readTarget(url, ports), method: verb, headers: readHeaders(headers, limits.headerBytes), body: bytes };
}

async function follow(client: Client, first: Hop, signal: AbortSignal): Promise<EgressResponse> {
  let hop = first;
  for (let redirects = 0; ; redirects++) {
    const connection = await dial(hop.url, client, signal);
    const { limits } = client;
    const response = await exchange({ ...hop, ...connection, limits, signal });
    const next = redirectOf(hop, response, client.ports);
    if (next === undefined) return { ...response, url: hop.url.href };
    if (redirects >= limits.redirects) throw new EgressError(`More than ${limits.redirects} redirects`);
    hop = next;
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Redirects that keep the method and the body. */
const KEEPING = new Set([307, 308]);

function redirectOf(
  hop: Hop,
  { status, headers }: Pick<EgressResponse, 'status' | 'headers'>,
  ports: ReadonlySet<number>,
): Hop | undefined {
  const location = headers.find(([name]) => name.toLowerCase() === 'location')?.[1];
  if (!REDIRECTS.has(status) || location === undefined) return undefined;
  if (!URL.canParse(location, hop.url.href))
    throw new EgressError('The server redirects to something that is not a URL');
  const url = readTarget(new URL(location, hop.url).href, ports);
  const sameOrigin = url.origin === hop.url.origin;
  const keepsBody = KEEPING.has(status) || (status !== SEE_OTHER && hop.method !== 'POST');
  if (keepsBody && hop.body !== undefined && !sameOrigin) {
    throw new EgressError(`The server redirects the body to another origin: send it to ${url.origin} yourself`);
  }
  const method = keepsBody || hop.method === 'HEAD' ? hop.method : 'GET';
  return {
    url,
    method,
    headers: headersAfter(hop.headers, { sameOrigin, keepsBody }),
    body: keepsBody ? hop.body : undefined,
  };
}

const SEE_OTHER = 303;
