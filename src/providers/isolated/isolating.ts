import type { Change, Mount, Offer, Provider, Surroundings, ToolEntry } from '../../catalog/provider.ts';
import { limitsWith } from '../../model/limits.ts';
import { silent } from '../../model/log.ts';
import type { Pools } from './pools.ts';

/** Serves what a file exported, its isolated tools from processes that load the file again. */
export function isolating(provider: Provider, file: string): Provider {
  return new Isolating(provider, { shop: new Shop(file), path: [] });
}

/** What all sources inside a module share. */
class Shop {
  readonly #file: string;
  #pools: Pools | undefined;
  #watchers = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Loaded when it is called for: most modules isolate nothing. */
  async pools(): Promise<Pools> {
    const { Pools } = await import('./pools.ts');
    this.#pools ??= new Pools(this.#file);
    return this.#pools;
  }

  enter(): void {
    this.#watchers += 1;
  }

  leave(): void {
    this.#watchers -= 1;
    if (this.#watchers === 0) this.#pools?.close();
  }
}

interface Place {
  readonly shop: Shop;
  readonly path: readonly string[];
}

class Isolating implements Provider {
  readonly name: string;
  readonly foreign: boolean;
  readonly #inner: Provider;
  readonly #place: Place;
  readonly #mounts = new WeakMap<Mount, Mount>();
  /** An entry that stays the same is not made again. */
  readonly #made = new WeakMap<ToolEntry, ToolEntry>();

  constructor(inner: Provider, place: Place) {
    this.name = inner.name;
    this.foreign = inner.foreign === true;
    this.#inner = inner;
    this.#place = place;
  }

  async load(surroundings: Surroundings = { log: silent, limits: limitsWith() }): Promise<Offer> {
    const { tools = [], mounts = [], ...rest } = await this.#inner.load(surroundings);
    const isolates = tools.some(({ isolate }) => isolate !== undefined);
    const pools = isolates ? await this.#place.shop.pools() : undefined;
    const made = (entry: ToolEntry): ToolEntry =>
      pools === undefined || entry.isolate === undefined ? entry : this.#remote(entry, pools, surroundings);
    return { ...rest, tools: tools.map(made), mounts: mounts.map((mount) => this.#within(mount)) };
  }

  watch(listener: (change: Change) => void): () => void {
    const { shop } = this.#place;
    const stop = this.#inner.watch?.(listener);
    shop.enter();
    let over = false;
    return () => {
      if (over) return;
      over = true;
      stop?.();
      shop.leave();
    };
  }

  #remote(entry: ToolEntry, pools: Pools, surroundings: Surroundings): ToolEntry {
    const made = this.#made.get(entry) ?? pools.remote(entry, this.#place.path, surroundings);
    this.#made.set(entry, made);
    return made;
  }

  #within(mount: Mount): Mount {
    const known = this.#mounts.get(mount);
    if (known !== undefined) return known;
    const { provider, namespace } = mount;
    const { shop, path } = this.#place;
    const inner = new Isolating(provider, { shop, path: namespace === undefined ? path : [...path, namespace] });
    const wrapped = { ...mount, provider: inner };
    this.#mounts.set(mount, wrapped);
    return wrapped;
  }
}
