import type { Json } from '../../model/json.ts';
import { requireWhole } from '../arguments.ts';
import type { Held, KeyPage, ListOptions, PutOptions, Records } from '../store.ts';
import type { Keys } from './keys.ts';
import { PUT_IF } from './scripts.ts';

// Redis looks at this many keys for one page, so that few pages come out empty and none takes long.
const LEAST_SCANNED = 100;
const MOST_SCANNED = 1000;

// One of 2^52 numbers, so that no server needs to remember which of them a key had.
const newVersion = (): number => Math.floor(Math.random() * 2 ** 52) + 1;

/** Where a walk stands: the server it goes on at, if any, its cursor there, and keys found that were not given yet. */
type Place = readonly [server: number, cursor: string, found: readonly string[]];

const NOWHERE = -1;

function readPlace(after: string | undefined): Place {
  if (after === undefined) return [0, '0', []];
  try {
    const place = JSON.parse(after) as Place;
    if (Number.isSafeInteger(place[0]) && /^\d+$/.test(place[1]) && Array.isArray(place[2])) return place;
  } catch {
    // Told below, with every other text that is no place.
  }
  throw new RangeError('Store option "after" must be the "next" of a page');
}

const literally = (text: string): string => text.replace(/[\\*?[\]]/g, '\\$&');

/** Values as strings that begin with their version. */
export class RedisRecords implements Records {
  readonly #keys: Keys;

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  async get(key: string, prolongMs?: number): Promise<Held | undefined> {
    if (prolongMs !== undefined) requireWhole('prolongMs', prolongMs);
    const name = this.#keys.name('r', key);
    const command = prolongMs === undefined ? ['GET', name] : ['GETEX', name, 'PX', String(prolongMs)];
    const text = await this.#keys.send(name, command);
    if (typeof text !== 'string') return undefined;
    const colon = text.indexOf(':');
    return { value: JSON.parse(text.slice(colon + 1)) as Json, version: Number(text.slice(0, colon)) };
  }

  async put(key: string, value: Json, { ttlMs, ifVersion }: PutOptions): Promise<number | undefined> {
    requireWhole('ttlMs', ttlMs);
    if (ifVersion !== undefined) requireWhole('ifVersion', ifVersion, 0);
    const name = this.#keys.name('r', key);
    const version = newVersion();
    const text = `${version}:${JSON.stringify(value)}`;
    const absent = ifVersion === 0 ? ['NX'] : [];
    const done =
      ifVersion === undefined || ifVersion === 0
        ? (await this.#keys.send(name, ['SET', name, text, 'PX', String(ttlMs), ...absent])) === 'OK'
        : (await this.#keys.run(PUT_IF, name, [ifVersion, text, ttlMs])) === 1;
    return done ? version : undefined;
  }

  async touch(key: string, ttlMs: number): Promise<boolean> {
    requireWhole('ttlMs', ttlMs);
    const name = this.#keys.name('r', key);
    return (await this.#keys.send(name, ['PEXPIRE', name, String(ttlMs)])) === 1;
  }

  async remove(key: string): Promise<boolean> {
    const name = this.#keys.name('r', key);
    return (await this.#keys.send(name, ['DEL', name])) === 1;
  }

  async list(prefix: string, { limit, after }: ListOptions): Promise<KeyPage> {
    requireWhole('limit', limit);
    const place = readPlace(after);
    const [server, cursor, found] = place[2].length > 0 ? place : await this.#scan(prefix, place, limit);
    const keys = found.slice(0, limit);
    const rest = found.slice(limit);
    return server === NOWHERE && rest.length === 0
      ? { keys }
      : { keys, next: JSON.stringify([server, cursor, rest] satisfies Place) };
  }

  async #scan(prefix: string, [server, cursor]: Place, limit: number): Promise<Place> {
    const base = this.#keys.name('r', '');
    const count = String(Math.min(Math.max(limit, LEAST_SCANNED), MOST_SCANNED));
    const pattern = `${literally(base + prefix)}*`;
    const { reply, last } = await this.#keys.sendTo(server, ['SCAN', cursor, 'MATCH', pattern, 'COUNT', count]);
    const [next, names] = (reply ?? ['0', []]) as [string, string[]];
    const found = names.map((name) => name.slice(base.length));
    if (next !== '0') return [server, next, found];
    return [last ? NOWHERE : server + 1, '0', found];
  }
}
