import type { Log } from '../../model/log.ts';
import type { Port } from '../../store/relay/words.ts';
import { createRelayStore } from '../../store/relay.ts';
import type { Store } from '../../store/store.ts';
import type { Family } from '../../transports/http/exposition.ts';
import { type CrewWord, isWord, RELAY_VARIABLE, WORKER_VARIABLE, type WorkerWord } from './words.ts';

type Collect = () => readonly Family[];

/** What a worker knows of the process that started it. */
export interface Member {
  readonly number: number;
  /** The store, where the process that started this one keeps it; `undefined` where each worker opens it. */
  store(log: Log): Store | undefined;
  /** Clients can connect. */
  ready(url: string): void;
  /** From here on this worker's numbers can be asked for. */
  counts(collect: Collect): void;
  /** The numbers of all workers. */
  gather(): Promise<readonly Family[]>;
  /** Lets go of the channel, which would keep the process alive. */
  leave(): void;
}

/** This process as a worker; `undefined` where it is none. */
export function joinCrew(env: NodeJS.ProcessEnv): Member | undefined {
  const number = Number(env[WORKER_VARIABLE]);
  if (process.send === undefined || !Number.isInteger(number) || number < 1) return undefined;
  let collect: Collect = () => [];
  const waiting = new Map<number, (families: readonly Family[]) => void>();
  let asked = 0;
  listen((word) => {
    if (word.crew === 'count') say({ crew: 'counted', id: word.id, families: collect() });
    if (word.crew !== 'gathered') return;
    waiting.get(word.id)?.(word.families);
    waiting.delete(word.id);
  });
  return {
    number,
    store: (log) => (env[RELAY_VARIABLE] === undefined ? undefined : createRelayStore(storePort(), log)),
    ready: (url) => say({ crew: 'ready', url }),
    counts(own) {
      collect = own;
    },
    gather() {
      const id = ++asked;
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        say({ crew: 'gather', id });
      });
    },
    leave() {
      if (process.connected) process.disconnect();
    },
  };
}

function storePort(): Port {
  return {
    send: (message) => say({ crew: 'store', message }),
    onMessage: (listener) =>
      listen((word) => {
        if (word.crew === 'store') listener(word.message);
      }),
    onClose: (listener) => void process.once('disconnect', listener),
  };
}

function listen(listener: (word: CrewWord) => void): void {
  process.on('message', (message: unknown) => {
    if (isWord(message)) listener(message as CrewWord);
  });
}

function say(word: WorkerWord): void {
  if (process.connected) process.send?.(word, undefined, undefined, () => {});
}
