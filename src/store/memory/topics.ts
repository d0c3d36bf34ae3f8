import type { Json } from '../../model/json.ts';
import { freeze } from '../freeze.ts';
import { Hearers } from '../hearers.ts';
import type { Listener, Topics } from '../store.ts';
import type { Ground } from './ground.ts';

/** Listeners in this process; nothing is ever missed, so `missed` is never called. */
export class MemoryTopics implements Topics {
  readonly #ground: Ground;
  readonly hearers: Hearers<Json>;

  constructor(ground: Ground) {
    this.#ground = ground;
    this.hearers = new Hearers('Topic listener', ground.log);
  }

  publish(topic: string, message: Json): void {
    this.#ground.requireOpen();
    const tell = this.hearers.teller(topic);
    if (tell === undefined) return;
    const copy = freeze(JSON.parse(JSON.stringify(message)) as Json);
    queueMicrotask(() => tell(copy));
  }

  subscribe(topic: string, listener: Listener): () => void {
    this.#ground.requireOpen();
    return this.hearers.join(topic, listener);
  }
}
