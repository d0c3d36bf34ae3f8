import type { Log, Severity } from '../model/log.ts';

export interface LogRing {
  readonly log: Log;
  /** What was logged last, oldest first, one line an entry. */
  lines(): readonly string[];
}

const MOST_ENTRIES = 100;
const LONGEST_LINE = 1000;
const SECRET = /secret|token|password|authorization|cookie|credential|api.?key/i;

/**
 * Passes everything on to a log and keeps the last of it for clients to read. What clients may not see is left out:
 * the messages and traces of errors, and values whose names sound like secrets.
 */
export function createLogRing(log: Log, most = MOST_ENTRIES): LogRing {
  const kept: string[] = [];
  return {
    log(severity, message, fields) {
      log(severity, message, fields);
      if (severity === 'debug') return;
      kept.push(lineOf(severity, message, fields));
      if (kept.length > most) kept.shift();
    },
    lines: () => [...kept],
  };
}

function lineOf(severity: Severity, message: string, fields: Readonly<Record<string, unknown>> = {}): string {
  const details = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${SECRET.test(key) ? '"[redacted]"' : shown(value)}`);
  const line = [new Date().toISOString(), severity.toUpperCase(), quoteControls(message), ...details].join(' ');
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
}

function shown(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(value.name);
  if (typeof value === 'object' && value !== null) return '"[object]"';
  return JSON.stringify(value) ?? '""';
}

/** One entry stays one line, whatever is in it. */
function quoteControls(text: string): string {
  return JSON.stringify(text).slice(1, -1).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}
