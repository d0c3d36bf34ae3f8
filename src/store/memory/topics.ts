import type { Json } from '../../model/json.ts';
import type { Listener, Topics } from '../store.ts';
import type { Ground } from './ground.ts';
import { freeze } from './json.ts';

interface Subscription {
  readonly listener: Listener;
  live: boolean;
}

/** Listeners in this process; nothing is ever missed, so `missed` is never called. */
export class MemoryTopics implements Topics {
  readonly #ground: Ground;
  readonly #subscriptions = new Map<string, Set<Subscription>>();

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  get size(): number {
    let size = 0;
    for (const set of this.#subscriptions.values()) size += set.size;
    return size;
  }

  publish(topic: string, message: Json): void {
    this.#ground.requireOpen();
    const set = this.#subscriptions.get(topic);
    if (set === undefined) return;
    const copy = freeze(JSON.parse(JSON.stringify(message)) as Json);
    const hearers = [...set];
    queueMicrotask(() => {
      for (const subscription of hearers) this.#tell(subscription, copy);
    });
  }

  subscribe(topic: string, listener: Listener): () => void {
    this.#ground.requireOpen();
    const subscription = { listener, live: true };
    const set = this.#subscriptions.get(topic) ?? new Set();
    this.#subscriptions.set(topic, set.add(subscription));
    return () => {
      subscription.live = false;
      if (set.delete(subscription) && set.size === 0) this.#subscriptions.delete(topic);
    };
  }

  clear(): void {
    this.#subscriptions.clear();
  }

  #tell({ listener, live }: Subscription, message: Json): void {
    if (!live || this.#ground.closed) return;
    const failed = (error: unknown) => this.#ground.log('error', 'Topic listener failed', { error });
    try {
      const result: unknown = listener(message);
      if (result instanceof Promise) result.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}
