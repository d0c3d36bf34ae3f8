import type { Json } from '../../model/json.ts';
import { freeze } from '../freeze.ts';
import { Hearers } from '../hearers.ts';
import type { Inboxes, Listener } from '../store.ts';
import type { Ground } from './ground.ts';

/** Inboxes held in this process; a message waits for its holder no longer than a microtask. */
export class MemoryInboxes implements Inboxes {
  readonly #ground: Ground;
  readonly holders: Hearers<Json>;
  readonly #leave = new Map<string, () => void>();

  constructor(ground: Ground) {
    this.#ground = ground;
    this.holders = new Hearers('Inbox listener', ground.log);
  }

  send(inbox: string, message: Json): boolean {
    this.#ground.requireOpen();
    const tell = this.holders.teller(inbox);
    if (tell === undefined) return false;
    const copy = freeze(JSON.parse(JSON.stringify(message)) as Json);
    queueMicrotask(() => tell(copy));
    return true;
  }

  open(inbox: string, listener: Listener): () => void {
    this.#ground.requireOpen();
    this.#leave.get(inbox)?.();
    const leave = this.holders.join(inbox, listener, { emptied: () => this.#leave.delete(inbox) });
    this.#leave.set(inbox, leave);
    return leave;
  }
}
