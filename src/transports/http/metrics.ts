import { serveDocument } from './document.ts';
import type { Handler } from './exchange.ts';
import { exposition, type Family } from './exposition.ts';

export interface MetricsOptions {
  collect(): readonly Family[];
}

const HEADERS = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' };

/** Serves the metrics to whoever scrapes them. */
export function createMetricsPage({ collect }: MetricsOptions): Handler {
  return serveDocument(() => ({ status: 200, body: exposition(collect()), headers: HEADERS }));
}
