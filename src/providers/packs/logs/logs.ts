import { createPack, type Server } from '../../../catalog/server.ts';
import { ToolError } from '../../../model/fault.ts';
import type { JsonObject } from '../../../model/json.ts';
import { readEntries } from './read.ts';

/** The log of this server, as the host keeps it. */
export interface LogSource {
  /** Every file, the newest first. */
  files(): readonly string[];
  stats(): JsonObject;
  /** Deletes files older than this and answers how many. */
  clear(olderThanDays?: number): number;
}

const LEVELS = ['debug', 'info', 'warning', 'error', 'critical'] as const;
const TIME = 'ISO 8601, such as a day, or a day and a time';
const OUTPUT = { type: 'object', properties: { success: { type: 'boolean' } }, required: ['success'] } as const;

/** Tools that read and tidy the server's own log. Whoever may call them sees what the operator sees, secrets excepted. */
export function createLogs(source: LogSource | undefined): Server {
  const server = createPack({ name: 'logs', version: '1.0.0' });
  addRead(server, source);
  server.tool(
    'get_log_stats',
    {
      description: 'How many entries were logged, how large the files are, and how often they were turned over',
      output: OUTPUT,
      annotations: { readOnlyHint: true },
    },
    () => ({ success: true, statistics: needed(source).stats() }),
  );
  server.tool(
    'clear_old_logs',
    {
      description: 'Deletes log files that are older than the retention period, or than a number of days',
      input: {
        type: 'object',
        properties: { olderThanDays: { type: 'number', minimum: 1, maximum: 3650, description: 'Days to keep' } },
      },
      output: OUTPUT,
      annotations: { destructiveHint: true, idempotentHint: true },
    },
    ({ olderThanDays }) => ({ success: true, deletedFiles: needed(source).clear(olderThanDays) }),
  );
  return server;
}

function addRead(server: Server, source: LogSource | undefined): void {
  server.tool(
    'read_logs',
    {
      description: 'Reads the newest entries of the log, oldest of them first',
      input: {
        type: 'object',
        properties: {
          limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100, description: 'Most entries' },
          level: { enum: LEVELS, description: 'Only entries of this level' },
          startTime: { type: 'string', description: `Not before: ${TIME}` },
          endTime: { type: 'string', description: `Not after: ${TIME}` },
          search: { type: 'string', maxLength: 1000, description: 'Only entries that hold this text, in any case' },
        },
      },
      output: OUTPUT,
      annotations: { readOnlyHint: true },
    },
    async ({ limit = 100, level, startTime, endTime, search }) => {
      const { entries, cut } = await readEntries(needed(source).files(), {
        limit,
        ...(level === undefined ? {} : { level }),
        ...timeOf('from', startTime),
        ...timeOf('to', endTime),
        ...(search === undefined || search === '' ? {} : { search }),
      });
      return { success: true, logs: [...entries], total: entries.length, ...(cut ? { truncated: true } : {}) };
    },
  );
}

function timeOf<K extends string>(key: K, text: string | undefined): { [P in K]?: number } {
  if (text === undefined) return {};
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new ToolError(`Cannot read the time "${text.slice(0, 40)}": give it as ${TIME}`);
  return { [key]: time } as { [P in K]?: number };
}

function needed(source: LogSource | undefined): LogSource {
  if (source !== undefined) return source;
  throw new ToolError('There is no log file: file logging is off');
}
