import type { Json } from '../../model/json.ts';
import { StoreError, type StoreTrouble } from '../store.ts';

/** One end of a channel that keeps order and loses nothing while it is open. */
export interface Port {
  send(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Calls the listener when nothing can come any more; a port that cannot tell leaves it out. */
  onClose?(listener: () => void): void;
}

/** What is asked of the store: a number to answer under, what to do, and with what. */
export type Ask = readonly [id: number, verb: string, ...rest: unknown[]];

/**
 * What comes back, each with the number of its ask: a value, a failure, something heard, or, with the number 0, whether
 * the engine is awake. An absent value is an absent member, since the channel may carry JSON.
 */
export type Word =
  | readonly [id: number]
  | readonly [id: number, kind: 'value', value: unknown]
  | readonly [id: number, kind: 'failed', trouble: StoreTrouble | 'range', message: string]
  | readonly [id: number, kind: 'heard', message: Json]
  | readonly [id: number, kind: 'missed']
  | readonly [id: 0, kind: 'awake', awake: boolean];

/** Gathers what is said in one turn of the event loop into one message; `gone` is called where the port throws. */
export function createBundle<Item>(port: Port, gone: () => void): (item: Item) => void {
  let items: Item[] = [];
  const flush = () => {
    const bundle = items;
    items = [];
    try {
      port.send(bundle);
    } catch {
      gone();
    }
  };
  return (item) => {
    if (items.push(item) === 1) setImmediate(flush);
  };
}

/** A failure as it goes over the channel. */
export function failureOf(error: unknown): readonly [StoreTrouble | 'range', string] {
  if (error instanceof StoreError) return [error.trouble, error.message];
  if (error instanceof RangeError) return ['range', error.message];
  return ['away', 'Cannot use store: the process that keeps it failed'];
}

/** The error a failure was before it went over the channel. */
export function errorOf(trouble: StoreTrouble | 'range', message: string): Error {
  return trouble === 'range' ? new RangeError(message) : new StoreError(trouble, message);
}
