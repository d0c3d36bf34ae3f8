import type { Handler } from './exchange.ts';
import { refuse } from './refuse.ts';

/** Stands where a handler cannot work at present. */
export const unavailable: Handler = (exchange) =>
  refuse(exchange, {
    status: 503,
    reason: 'unavailable',
    message: 'Not available at present: try again later',
    headers: { 'retry-after': '1' },
  });
