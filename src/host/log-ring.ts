import { FAULTS } from '../model/fault-codes.ts';
import type { Log, Severity } from '../model/log.ts';
import { escapeHidden, portrayText } from '../model/portrait.ts';
import { type Redact, redactShapes } from '../model/redact.ts';

export interface LogRing {
  readonly log: Log;
  /** What was logged last, oldest first, one line an entry. */
  lines(): readonly string[];
}

export interface LogRingOptions {
  readonly most?: number;
  readonly redact?: Redact;
}

type Fields = Readonly<Record<string, unknown>>;

const MOST_ENTRIES = 100;
const LONGEST_LINE = 1000;
/** Fields of words that are ours and not a client's, a machine's or a foreign error's. */
const OURS: ReadonlySet<string> = new Set(['code', 'errorId', 'dialect', 'verb', 'limit', 'level']);

/**
 * Passes everything on to a log and keeps the last of it for clients to read. What one client may not know of another
 * and of the machine is left out: of faults everything but their code and id, of errors everything but their class, and
 * of all other values everything but numbers.
 */
export function createLogRing(log: Log, { most = MOST_ENTRIES, redact = redactShapes }: LogRingOptions = {}): LogRing {
  const kept: string[] = [];
  return {
    log(severity, message, fields) {
      log(severity, message, fields);
      if (severity === 'debug') return;
      kept.push(lineOf(severity, said(message, fields, redact), fields));
      if (kept.length > most) kept.shift();
    },
    lines: () => [...kept],
  };
}

/** The message of a fault may repeat what another client sent, so that its code speaks for it. */
function said(message: string, fields: Fields | undefined, redact: Redact): string {
  const code = fields?.['code'];
  if (typeof code === 'string' && Object.hasOwn(FAULTS, code)) return FAULTS[code as keyof typeof FAULTS].says;
  return portrayText(message, { redact, room: LONGEST_LINE });
}

function lineOf(severity: Severity, message: string, fields: Fields = {}): string {
  const details = Object.entries(fields).flatMap(([key, value]) => {
    const shown = shownOf(key, value);
    return shown === undefined ? [] : [`${key}=${JSON.stringify(shown)}`];
  });
  const quoted = JSON.stringify(message).slice(1, -1);
  const line = escapeHidden([new Date().toISOString(), severity.toUpperCase(), quoted, ...details].join(' '));
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
}

function shownOf(key: string, value: unknown): string | number | boolean | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (value instanceof Error) return value.constructor.name;
  return OURS.has(key) && typeof value === 'string' ? value : undefined;
}
