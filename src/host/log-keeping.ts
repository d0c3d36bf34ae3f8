import fs from 'node:fs';
import type { JsonObject } from '../model/json.ts';
import type { Log, Severity } from '../model/log.ts';
import { createRedact, type Redact, secretsIn } from '../model/redact.ts';
import type { LogSource } from '../providers/packs/logs/logs.ts';
import { interceptConsole } from './console.ts';
import { createLog, oneLine } from './log.ts';
import { LogFile } from './log-file.ts';
import { namesOf, switchOf, type Variable, type Variables } from './variables.ts';

/** Files a preset keeps its log in, unless the environment says otherwise. */
export interface LogFiles {
  readonly name: string;
  readonly directory: string;
  readonly maxBytes: number;
  readonly retentionDays: number;
}

export interface LogSettings {
  readonly logLevel: Severity | 'silent';
  /** One file of the operator's, which nothing rotates. */
  readonly logFile?: string | undefined;
  /** Never written to the log, nor what the environment says under the name of a secret. */
  readonly secrets?: readonly string[] | undefined;
  readonly variables: Variables;
  readonly files?: LogFiles | undefined;
}

export interface KeptLog {
  readonly log: Log;
  /** Takes the secrets this process knows, and what looks like one, out of a text. */
  readonly redact: Redact;
  /** What the log tools read; absent where no rotating files are kept. */
  readonly source: LogSource | undefined;
  close(): void;
}

/** Opens the log where the settings want it: a file, rotating files, or stderr. */
export function keepLog(settings: LogSettings): KeptLog {
  const { logLevel: level, logFile, files, variables } = settings;
  const redact = redactFor(settings.secrets);
  if (logFile !== undefined) return plain(createLog({ level, redact, write: appending(logFile) }), redact);
  if (files !== undefined && wantsFiles(variables)) return keepFiles(files, settings, redact);
  const { stderr } = process;
  const pretty = stderr.isTTY === true;
  return plain(createLog({ level, redact, write: (line) => stderr.write(line), pretty }), redact);
}

/** Knows these secrets and those the environment has now; which of its values are secrets is judged for the first text. */
export function redactFor(secrets: readonly string[] = []): Redact {
  const env = { ...process.env };
  let redact: Redact | undefined;
  return (text) => {
    redact ??= createRedact([...secrets, ...secretsIn(env)]);
    return redact(text);
  };
}

/** Appends to a file and goes on without it while it cannot be written, which is told once. */
function appending(file: string): (line: string) => void {
  let failing = false;
  return (line) => {
    try {
      fs.appendFileSync(file, line);
      failing = false;
    } catch (error) {
      if (!failing) process.stderr.write(`${oneLine(`Cannot write the log "${file}": ${String(error)}`)}; trying on\n`);
      failing = true;
    }
  };
}

function plain(log: Log, redact: Redact): KeptLog {
  return { log, redact, source: undefined, close: () => {} };
}

function wantsFiles({ logFiles }: Variables): boolean {
  return logFiles === undefined || switchOf(logFiles) !== false;
}

/** While the log is in files, what is printed with `console` belongs there too. */
function keepFiles(files: LogFiles, { logLevel, variables }: LogSettings, redact: Redact): KeptLog {
  const file = new LogFile({
    name: files.name,
    directory: variables.logDirectory ?? files.directory,
    maxBytes: numberOf('logFileBytes', variables) ?? files.maxBytes,
    retentionDays: numberOf('logRetentionDays', variables) ?? files.retentionDays,
    report: (line) => process.stderr.write(line),
  });
  const counts: Record<Severity, number> = { debug: 0, info: 0, warn: 0, error: 0 };
  const write = createLog({ level: logLevel, redact, write: (line) => file.write(line) });
  const log: Log = (severity, message, fields) => {
    counts[severity]++;
    write(severity, message, fields);
  };
  const restore = interceptConsole(log);
  return {
    log,
    redact,
    source: {
      files: () => file.files(),
      stats: () => statsOf(counts, file),
      clear: (olderThanDays) => file.clear(olderThanDays),
    },
    close() {
      restore();
      file.close();
    },
  };
}

function statsOf(counts: Readonly<Record<Severity, number>>, file: LogFile): JsonObject {
  const { files, bytes, rotations, cleanups, lostLines } = file.stats();
  return {
    totalLogged: counts.debug + counts.info + counts.warn + counts.error,
    errorCount: counts.error,
    warningCount: counts.warn,
    infoCount: counts.info,
    rotations,
    cleanups,
    files,
    bytes,
    lostLines,
  };
}

function numberOf(variable: Variable, variables: Variables): number | undefined {
  const text = variables[variable];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new TypeError(`Cannot use ${namesOf(variable)}: "${text}" is no positive whole number`);
}
