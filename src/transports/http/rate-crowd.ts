import { Crowd } from '../../model/crowd.ts';
import type { Limits } from '../../model/limits.ts';
import { waitText } from '../../model/rate.ts';
import type { Handler, HttpExchange } from './exchange.ts';
import { isListening } from './headers.ts';
import { refuse } from './refuse.ts';
import { whenOver } from './when-over.ts';

export type CrowdLimits = Pick<Limits, 'streams' | 'streamsPerPrincipal' | 'requestsPerPrincipal' | 'retryMs'>;

/**
 * Holds each principal to so many requests at once, over all its sessions, and to so many streams to listen on. What is
 * beyond is refused before its body is read. One crowd may be shared by several handlers.
 */
export function crowdLimited(handler: Handler, limits: CrowdLimits, requests = new Crowd()): Handler {
  const { requestsPerPrincipal, retryMs } = limits;
  return (exchange) => {
    const full = isListening(exchange) ? fullFor(exchange, limits) : undefined;
    if (full !== undefined) return tooMany(exchange, full, retryMs);
    const id = exchange.principal?.id;
    if (id === undefined || exchange.method === 'GET') return handler(exchange);
    if (requests.of(id) >= requestsPerPrincipal) {
      return tooMany(exchange, { status: 429, limit: 'requestsPerPrincipal', what: 'requests' }, retryMs);
    }
    requests.enter(id);
    return whenOver(
      () => handler(exchange),
      () => requests.leave(id),
    );
  };
}

interface Full {
  readonly status: 429 | 503;
  readonly limit: keyof CrowdLimits;
  readonly what: string;
}

/** Which bound a stream would pass; streams that were closed a moment ago do not count. */
function fullFor({ streams, principal }: HttpExchange, limits: CrowdLimits): Full | undefined {
  if (streams === undefined) return undefined;
  const ofAll = (): boolean => streams.size >= limits.streams;
  const ofOne = (): boolean => principal !== undefined && streams.of(principal.id) >= limits.streamsPerPrincipal;
  if (ofAll() || ofOne()) streams.sweep();
  if (ofAll()) return { status: 503, limit: 'streams', what: 'streams' };
  return ofOne() ? { status: 429, limit: 'streamsPerPrincipal', what: 'streams of yours' } : undefined;
}

function tooMany(exchange: HttpExchange, { status, limit, what }: Full, retryAfterMs: number): void {
  refuse(exchange, {
    status,
    reason: 'busy',
    limited: true,
    message: `Too many ${what} are open: close one, or wait ${waitText(retryAfterMs)}, then send this request again`,
    data: { code: 'E_BUSY', limit, retryAfterMs },
    headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) },
  });
}
