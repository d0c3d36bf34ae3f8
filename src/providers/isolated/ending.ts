import { Fault } from '../../model/fault.ts';
import type { CellEnd } from '../../sandbox/cell.ts';
import type { Job } from './messages.ts';

const EXCESSES = { memory: 'it used more memory than it may', cpu: 'it used more CPU time than it may' } as const;
const LABELS = { tool: 'Tool', resource: 'Resource', template: 'Resource', prompt: 'Prompt' } as const;

/** How a process came to its end, in words. */
export function endText({ code, signal, excess }: CellEnd): string {
  if (excess !== undefined) return EXCESSES[excess];
  if (signal !== null) return `it was ended by ${signal}`;
  return code === null ? 'it could not be started' : `it exited with code ${code}`;
}

/** What a process printed last, as a cause for the log. */
export function lastWords({ said }: CellEnd): Error | undefined {
  if (said.length === 0) return undefined;
  const error = new Error(said.join('\n'));
  error.name = 'LastWords';
  // It was not thrown here, so where it was made says nothing.
  delete error.stack;
  return error;
}

export interface Crash {
  readonly why: string;
  readonly cause?: Error | undefined;
  readonly excess?: CellEnd['excess'];
}

/** What is told about an item whose process is gone; why it is gone is for the log. */
export function crashFault({ kind, key }: Job, { why, cause, excess }: Crash): Fault {
  const item = `${LABELS[kind]} "${key}" failed`;
  const reason = new Error(`The process ended: ${why}`, cause === undefined ? {} : { cause });
  if (excess !== undefined) return new Fault('E_TOOL_EXCEEDED', `${item}: ${EXCESSES[excess]}`, { cause: reason });
  return new Fault('E_TOOL_CRASHED', `${item}: its process crashed`, { cause: reason });
}
