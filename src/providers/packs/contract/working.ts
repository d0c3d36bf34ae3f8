import { setTimeout as pause } from 'node:timers/promises';
import type { Server } from '../../../catalog/server.ts';

const STEPS = {
  type: 'object',
  properties: { steps: { type: 'integer', minimum: 1, maximum: 100, default: 3, description: 'How many steps' } },
  additionalProperties: false,
} as const;
const JOB = {
  type: 'object',
  properties: {
    ms: { type: 'integer', minimum: 0, maximum: 60_000, default: 0, description: 'How long it takes, in milliseconds' },
  },
  additionalProperties: false,
} as const;

/** Tools that take their time: one tells how far it is, one may be a task. */
export function addWorkingTools(server: Server): void {
  server.tool(
    'count',
    { description: 'Counts, with progress and a log message at every step', input: STEPS },
    ({ steps = 3 }, call) => {
      for (let step = 1; step <= steps; step += 1) {
        call.progress(step, steps, `Step ${step}`);
        call.log('info', { step }, 'count');
      }
      return `Counted to ${steps}`;
    },
  );
  server.tool(
    'job',
    { description: 'Takes as long as it is told, as a task if the client likes', input: JOB, task: 'optional' },
    async ({ ms = 0 }, call) => {
      await pause(ms, undefined, { signal: call.signal });
      return `Done after ${ms} ms`;
    },
  );
}
