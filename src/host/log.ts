import type { Log, Severity } from '../model/log.ts';

const RANK: Readonly<Record<Severity, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

export interface LogOptions {
  readonly level: Severity | 'silent';
  /** Takes one line, newline included. */
  write(line: string): void;
  /** Lines for a person, not for a program. */
  readonly pretty?: boolean;
}

/** One line an entry, whatever is in it: a value is quoted, so that no text can start a line of its own. */
export function createLog({ level, write, pretty = false }: LogOptions): Log {
  if (level === 'silent') return () => {};
  const least = RANK[level];
  const render = pretty ? renderPretty : renderJson;
  return (severity, message, fields = {}) => {
    if (RANK[severity] >= least) write(`${render(severity, message, fields)}\n`);
  };
}

function renderJson(severity: Severity, message: string, fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ time: new Date().toISOString(), level: severity, message, ...described(fields) });
}

function renderPretty(severity: Severity, message: string, fields: Readonly<Record<string, unknown>>): string {
  const details = Object.entries(described(fields)).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return [new Date().toISOString().slice(11, 23), severity, quoteControls(message), ...details].join(' ');
}

function described(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known.map(([key, value]) => [key, value instanceof Error ? describe(value) : value]));
}

function describe(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  return { name, message, stack, ...(cause instanceof Error ? { cause: describe(cause) } : {}) };
}

function quoteControls(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
