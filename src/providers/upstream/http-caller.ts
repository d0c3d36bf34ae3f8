import { HttpFault, type Verdict } from './verdict.ts';

const REDIRECTS = 5;
const MOVED_AS_IT_IS: ReadonlySet<number> = new Set([307, 308]);
const MOVED: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const FORBIDDEN: ReadonlySet<number> = new Set([401, 403, 407]);
/** Refusals that say nothing of what the server speaks. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/** The first digit of statuses that blame the request. */
const CLIENT_ERRORS = 4;

/** Where a server is reached, and what every request to it carries. */
export interface HttpTarget {
  readonly url: string | URL;
  /** Sent to the server's own origin only; names of the protocol's own headers have no effect. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Another address of the same origin. */
  readonly url?: URL;
}

/** Makes requests to one origin, and never to another. */
export class HttpCaller {
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;

  /** Throws a `TypeError` when the address or a header cannot be used. */
  constructor({ url, headers = {} }: HttpTarget) {
    const whole = new URL(url);
    if (whole.protocol !== 'http:' && whole.protocol !== 'https:')
      throw new TypeError(`Cannot connect to "${shown(whole)}": the address must begin with http:// or https://`);
    const { username, password } = whole;
    const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
    // Sets the headers once to have them checked.
    this.#headers = Object.fromEntries(
      new Headers({ ...(username + password === '' ? {} : { authorization: `Basic ${basic}` }), ...headers }),
    );
    whole.username = '';
    whole.password = '';
    whole.hash = '';
    this.#url = whole;
  }

  /** The address as messages show it: no credentials, no query. */
  get name(): string {
    return shown(this.#url);
  }

  get url(): URL {
    return this.#url;
  }

  /** Resolves with whatever the server answers; rejects with a fault when it cannot be reached. */
  async call(request: HttpRequest): Promise<Response> {
    let url = request.url ?? this.#url;
    for (let hops = 0; hops <= REDIRECTS; hops += 1) {
      const response = await this.#fetch(url, request);
      if (!MOVED.has(response.status)) return response;
      await discard(response);
      url = this.#next(url, response, request.method);
    }
    throw new HttpFault('broken', `Cannot reach "${this.name}": it redirects more than ${REDIRECTS} times`);
  }

  /** What a refusal says, in words. */
  refusal(response: Response): HttpFault {
    const { status, statusText } = response;
    const said = `${status} ${statusText}`.trim();
    const verdict = verdictOf(status);
    if (verdict === 'forbidden') {
      return new HttpFault(
        verdict,
        `The server at "${this.name}" wants to know who asks, or refuses to serve: ${said}`,
      );
    }
    const wait = response.headers.get('retry-after');
    const hint = verdict === 'older' ? '. Is this the address of an MCP endpoint?' : '';
    const later = wait !== null && /^\d{1,6}$/.test(wait) ? `. Try again in ${wait} s` : '';
    return new HttpFault(verdict, `The server at "${this.name}" answered ${said}${hint}${later}`);
  }

  async #fetch(url: URL, { method, headers, body, signal }: HttpRequest): Promise<Response> {
    try {
      return await fetch(url, {
        method,
        headers: { ...this.#headers, ...headers },
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
        signal,
      });
    } catch (cause) {
      signal.throwIfAborted();
      throw new HttpFault('broken', `Cannot reach "${this.name}": ${reasonOf(cause)}`, { cause });
    }
  }

  #next(from: URL, { status, headers }: Response, method: HttpRequest['method']): URL {
    const location = headers.get('location');
    const to = location === null || !URL.canParse(location, from.href) ? undefined : new URL(location, from);
    if (to === undefined) throw new HttpFault('broken', `The server at "${this.name}" redirects to nowhere`);
    if (to.origin !== this.#url.origin) {
      const advice = `If you trust it, connect to "${shown(to)}"`;
      throw new HttpFault('broken', `The server at "${this.name}" redirects to another origin. ${advice}`);
    }
    // Any other status makes a GET of a POST.
    if (method !== 'GET' && !MOVED_AS_IT_IS.has(status)) {
      throw new HttpFault('older', `The server at "${this.name}" redirects to "${shown(to)}": connect there`);
    }
    return to;
  }
}

/** What a status that is no success says of the server. */
export function verdictOf(status: number): Verdict {
  if (FORBIDDEN.has(status)) return 'forbidden';
  return Math.floor(status / 100) === CLIENT_ERRORS && !PASSING.has(status) ? 'older' : 'broken';
}

/** Lets go of a body nobody reads. */
export async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => {});
}

function shown({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_CONNECT_TIMEOUT: 'the connection took too long',
  UND_ERR_HEADERS_TIMEOUT: 'the answer took too long',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too long',
};

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code = '', message } = cause as Error & { code?: string };
  return REASONS[code] ?? message;
}
