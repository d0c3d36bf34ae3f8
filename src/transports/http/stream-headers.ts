import type { Headers } from './exchange.ts';

/** What keeps an event stream flowing through caches and proxies. */
export const STREAM_HEADERS: Headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};
