import { LIMITS } from '../model/limits.ts';
import type { Log, Severity } from '../model/log.ts';
import { escapeHidden, portray } from '../model/portrait.ts';
import { type Redact, redactShapes } from '../model/redact.ts';

const RANK: Readonly<Record<Severity, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

export interface LogOptions {
  readonly level: Severity | 'silent';
  /** Takes one line, newline included. */
  write(line: string): void;
  /** Lines for a person, not for a program. */
  readonly pretty?: boolean;
  /** Takes secrets out; knows at least what they look like. */
  readonly redact?: Redact;
  /** Longest line, in characters. */
  readonly lineLength?: number;
}

type Fields = Readonly<Record<string, unknown>>;
type Render = (severity: Severity, message: string, fields: Record<string, unknown>) => string;

/**
 * One line an entry, whatever is in it: values are quoted, what a terminal would obey is spelled out, secrets are taken
 * out, and what is too long is cut. Logging never throws.
 */
export function createLog(options: LogOptions): Log {
  const { level, write, pretty = false } = options;
  if (level === 'silent') return () => {};
  const least = RANK[level];
  const line = lineWriter(pretty ? renderPretty : renderJson, options);
  return sturdy((severity, message, fields = {}) => {
    if (RANK[severity] >= least) write(`${line(severity, message, fields)}\n`);
  });
}

/** A log that can be called from anywhere: what goes wrong in it is nobody's failure. */
export function sturdy(log: Log): Log {
  return (severity, message, fields) => {
    try {
      log(severity, message, fields);
    } catch {
      // A log that fails has nowhere to say so.
    }
  };
}

/** One line without anything hidden, for what is said before there is a log. */
export function oneLine(text: string): string {
  return escapeHidden(redactShapes(text));
}

/** Escapes make a line longer than what it says, so it is drawn again with less room until it fits. */
const ROOMS = [0.75, 0.25, 0.05];

function lineWriter(render: Render, { redact = redactShapes, lineLength }: LogOptions) {
  const most = lineLength ?? LIMITS.logLineLength.default;
  return (severity: Severity, message: string, fields: Fields): string => {
    let line = '';
    for (const share of ROOMS) {
      const room = Math.floor(most * share);
      const drawn = portray({ message: String(message), fields }, { redact, room }) as Drawn;
      line = render(severity, drawn.message, drawn.fields);
      if (line.length <= most) return line;
    }
    return render(severity, `${escapeHidden(redact(String(message).slice(0, 40)))}…`, {}).slice(0, most);
  };
}

interface Drawn {
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

const renderJson: Render = (severity, message, fields) =>
  escapeHidden(JSON.stringify({ time: new Date().toISOString(), level: severity, message, ...fields }));

const renderPretty: Render = (severity, message, fields) => {
  const details = Object.entries(fields).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const said = [new Date().toISOString().slice(11, 23), severity, JSON.stringify(message).slice(1, -1), ...details];
  return escapeHidden(said.join(' '));
};
