import { setImmediate as turn } from 'node:timers/promises';
import type { Port } from '../../../src/store/relay/words.ts';

export interface Channel {
  readonly near: Port;
  readonly far: Port;
  /** Tells both ends that the other one is gone. */
  cut(): void;
}

/** A channel between two ends in one process that carries JSON, as one between processes does. */
export function createChannel(): Channel {
  const listeners = { near: [] as ((message: unknown) => void)[], far: [] as ((message: unknown) => void)[] };
  const closings: (() => void)[] = [];
  let open = true;
  const end = (here: 'near' | 'far', there: 'near' | 'far'): Port => ({
    async send(message) {
      const text = JSON.stringify(message);
      await turn();
      if (open) for (const listener of listeners[there]) listener(JSON.parse(text));
    },
    onMessage: (listener) => listeners[here].push(listener),
    onClose: (listener) => closings.push(listener),
  });
  return {
    near: end('near', 'far'),
    far: end('far', 'near'),
    cut() {
      open = false;
      for (const closing of closings) closing();
    },
  };
}
