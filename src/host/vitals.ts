import type { JsonObject } from '../model/json.ts';
import { type OperationEnded, operationEnded } from '../telemetry/signals.ts';

/** What was counted since the start, until it is closed. */
export interface Vitals {
  read(): JsonObject;
  close(): void;
}

const RECENT = 2048;
const PERCENTILES = [50, 90, 99] as const;

/** Counts operations, by verb and outcome, and keeps how long the last of them took. */
export function createVitals(): Vitals {
  const verbs = new Map<string, { count: number; errors: number; ms: number }>();
  const recent = new Float64Array(RECENT);
  let count = 0;
  let errors = 0;
  let spent = 0;
  const stop = operationEnded.listen(({ verb, outcome, ms }: OperationEnded) => {
    recent[count++ % RECENT] = ms;
    spent += ms;
    const failed = outcome === 'ok' || outcome === 'asked' ? 0 : 1;
    errors += failed;
    const of = verbs.get(verb) ?? { count: 0, errors: 0, ms: 0 };
    verbs.set(verb, { count: of.count + 1, errors: of.errors + failed, ms: of.ms + ms });
  });
  return {
    read: () => ({
      uptime: `${process.uptime().toFixed(3)}s`,
      totalRequests: count,
      totalErrors: errors,
      totalResponseTime: `${Math.round(spent * 1000)}μs`,
      avgResponseTime: `${(count === 0 ? 0 : (spent * 1000) / count).toFixed(2)}μs`,
      responseTimeMs: percentilesOf(recent.slice(0, Math.min(count, RECENT))),
      methods: Object.fromEntries(
        [...verbs].map(([verb, of]) => [
          verb,
          { count: of.count, errors: of.errors, avgMs: rounded(of.ms / of.count) },
        ]),
      ),
      isRunning: true,
      isReady: true,
      timestamp: new Date().toISOString(),
    }),
    close: stop,
  };
}

function percentilesOf(times: Float64Array): JsonObject {
  times.sort();
  const at = (percent: number) => rounded(times[Math.max(0, Math.ceil((percent / 100) * times.length) - 1)] ?? 0);
  const named = PERCENTILES.map((percent) => [`p${percent}`, at(percent)] as const);
  return { ...Object.fromEntries(named), max: at(100), samples: times.length };
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
