import type { ServerCapabilities } from '../../model/capabilities.ts';
import { Fault } from '../../model/fault.ts';
import type { ListName, Notice, WatchFilter, WireId } from '../../model/peer.ts';
import type { Connection } from './connection.ts';

/** A wish to be told of changes, in force until it is closed. */
export interface Subscription {
  /** What the server said it will tell. */
  readonly filter: WatchFilter;
  /** Resolves when it is over, whoever ended it. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

interface Held {
  acknowledge(filter: WatchFilter): void;
  end(): void;
}

const LISTS: readonly ListName[] = ['tools', 'prompts', 'resources'];

/** Subscriptions of one client, in the way its revision has for them. */
export class Listening {
  readonly #held = new Map<WireId, Held>();
  readonly #watched = new Map<string, number>();

  /** Whether a notice reached somebody who asked for it; notices of subscriptions that are over are dropped. */
  admits(connection: Connection, notice: Notice, subscription: WireId | undefined): boolean {
    if (connection.speaker.revision.pushes !== 'listen') return true;
    if (notice.kind === 'listening') {
      if (subscription !== undefined) this.#held.get(subscription)?.acknowledge(notice.filter);
      return false;
    }
    if (notice.kind === 'cancelled') {
      this.#held.get(notice.id)?.end();
      return false;
    }
    if (notice.kind !== 'changed' && notice.kind !== 'updated') return true;
    return subscription !== undefined && this.#held.has(subscription);
  }

  /** Opens a subscription and resolves when the server has said what it will honour. */
  listen(
    connection: Connection,
    filter: WatchFilter,
    { capabilities, timeoutMs }: { capabilities: ServerCapabilities; timeoutMs: number },
  ): Promise<Subscription> {
    return connection.speaker.revision.pushes === 'listen'
      ? this.#hold(connection, filter, timeoutMs)
      : this.#watch(connection, honoured(filter, capabilities));
  }

  async #hold(connection: Connection, wanted: WatchFilter, timeoutMs: number): Promise<Subscription> {
    const { id, ended } = connection.hold({ verb: 'listen', ask: { filter: wanted } });
    const release = (): void => connection.release(id);
    const over = (): void => void this.#held.delete(id);
    const closed = ended.then(over, over);
    const filter = await new Promise<WatchFilter>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Fault('E_DEADLINE', `The server did not acknowledge the subscription within ${timeoutMs} ms`));
        release();
      }, timeoutMs);
      const settle = (honoured: WatchFilter): void => {
        clearTimeout(timer);
        resolve(honoured);
      };
      this.#held.set(id, { acknowledge: settle, end: release });
      ended.then(
        () => settle({}),
        (error) => {
          clearTimeout(timer);
          reject(error);
        },
      );
    });
    return {
      filter,
      closed,
      close: () => {
        if (this.#held.has(id)) release();
        return closed;
      },
    };
  }

  async #watch(connection: Connection, filter: WatchFilter): Promise<Subscription> {
    const uris = filter.uris ?? [];
    for (const uri of uris) await this.#count(connection, uri, 1);
    let over = (): void => {};
    const closed = new Promise<void>((resolve) => {
      over = resolve;
    });
    let open = true;
    return {
      filter,
      closed,
      close: async () => {
        if (!open) return;
        open = false;
        if (connection.closedBy === undefined) for (const uri of uris) await this.#count(connection, uri, -1);
        over();
      },
    };
  }

  /** The server counts a resource once, however many subscriptions want it. */
  async #count(connection: Connection, uri: string, step: 1 | -1): Promise<void> {
    const before = this.#watched.get(uri) ?? 0;
    const after = before + step;
    if (after === 0) this.#watched.delete(uri);
    else this.#watched.set(uri, after);
    if (before === 0) await connection.request({ verb: 'resources.watch', ask: { uri } });
    else if (after === 0) await connection.request({ verb: 'resources.unwatch', ask: { uri } });
  }
}

/** What a server that declared these capabilities will tell. */
function honoured(filter: WatchFilter, capabilities: ServerCapabilities): WatchFilter {
  const told: WatchFilter = {};
  for (const list of LISTS) if (filter[list] === true && capabilities[list]?.listChanged === true) told[list] = true;
  const { uris } = filter;
  return uris === undefined || capabilities.resources?.subscribe !== true ? told : { ...told, uris };
}
