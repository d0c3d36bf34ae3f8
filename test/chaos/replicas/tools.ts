import { appendFileSync } from 'node:fs';
import type { Server } from '../../../src/index.ts';

/** Where the tool writes down that it was started. */
export const STARTS = 'CHAOS_STARTS';

/** Adds a tool that must not be run twice for the same key, and writes down each time it is. */
export default function fill(server: Server): void {
  const text = { type: 'string' } as const;
  const whole = { type: 'integer', minimum: 0 } as const;
  server.tool(
    'count',
    {
      description: 'Counts a key, after a while and with progress if it is told so',
      input: { type: 'object', properties: { key: text, ms: whole, steps: whole }, required: ['key'] },
    },
    async ({ key, ms = 0, steps = 0 }, call) => {
      appendFileSync(process.env[STARTS] ?? '/dev/null', `${key}\n`);
      for (let step = 1; step <= steps; step += 1) {
        call.progress(step, steps, key);
        await new Promise((resolve) => setTimeout(resolve, ms / steps));
      }
      return key;
    },
  );
}
