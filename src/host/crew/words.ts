import type { Family } from '../../transports/http/exposition.ts';

/** Names the worker a process is, from 1 on; set by the process that starts it. */
export const WORKER_VARIABLE = 'PARLEY_WORKER';
/** Set where the process that starts the workers keeps their store. */
export const RELAY_VARIABLE = 'PARLEY_WORKER_STORE';

/** What a worker says to the process that started it. */
export type WorkerWord =
  | { readonly crew: 'ready'; readonly url: string }
  | { readonly crew: 'gather'; readonly id: number }
  | { readonly crew: 'counted'; readonly id: number; readonly families: readonly Family[] }
  | { readonly crew: 'store'; readonly message: unknown };

/** What it is told. */
export type CrewWord =
  | { readonly crew: 'count'; readonly id: number }
  | { readonly crew: 'gathered'; readonly id: number; readonly families: readonly Family[] }
  | { readonly crew: 'store'; readonly message: unknown };

/** Whether a message on the channel is one of ours; the channel carries Node's own as well. */
export function isWord(message: unknown): message is WorkerWord | CrewWord {
  return typeof message === 'object' && message !== null && 'crew' in message && typeof message.crew === 'string';
}
