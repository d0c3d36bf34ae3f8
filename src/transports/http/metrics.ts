import type { Eventually } from '../../model/json.ts';
import { type Document, serveDocument } from './document.ts';
import type { Handler } from './exchange.ts';
import { exposition, type Family } from './exposition.ts';

export interface MetricsOptions {
  collect(): Eventually<readonly Family[]>;
}

const HEADERS = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' };

/** Serves the metrics to whoever scrapes them. */
export function createMetricsPage({ collect }: MetricsOptions): Handler {
  return serveDocument(() => {
    const families = collect();
    return families instanceof Promise ? families.then(documentOf) : documentOf(families);
  });
}

function documentOf(families: readonly Family[]): Document {
  return { status: 200, body: exposition(families), headers: HEADERS };
}
