import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Change, Offer, Provider, Surroundings } from '../../catalog/provider.ts';
import type { Call } from '../../model/call.ts';
import { Fault } from '../../model/fault.ts';
import { type IsolateOptions, isolateOf } from '../../model/isolate.ts';
import type { Freshness, Implementation } from '../../model/items.ts';
import type { Json } from '../../model/json.ts';
import { limitsWith } from '../../model/limits.ts';
import { silent } from '../../model/log.ts';
import { moduleFile } from '../modules.ts';
import { isIsolated } from './mark.ts';
import type { Described, Job } from './messages.ts';
import type { Pool } from './pool.ts';

/** A module all of whose items run in processes of their own. */
export interface IsolatedModule extends Provider {
  /** What the module says of itself; known once it was loaded. */
  readonly info: Implementation | undefined;
  readonly instructions: string | undefined;
  readonly cache: Freshness | undefined;
  watch(listener: (change: Change) => void): () => void;
}

/**
 * Serves what a file exports from processes of its own: a crash, an endless loop or too much memory in it costs the one
 * call that did it. The file is never loaded in this process. Its items are those it has when it is loaded.
 */
export function isolated(file: URL | string, options: IsolateOptions = {}): IsolatedModule {
  const path = file instanceof URL || file.startsWith('file:') ? fileURLToPath(file) : file;
  isolateOf(options, `Cannot isolate "${path}"`);
  return new Isolated(moduleFile(path), options);
}

class Isolated implements IsolatedModule {
  readonly name: string;
  readonly #file: string;
  readonly #options: IsolateOptions;
  #watchers = 0;
  #pool: Pool | undefined;
  #described: Described | undefined;
  #offer: Offer | undefined;

  constructor(file: string, options: IsolateOptions) {
    this.name = basename(file, extname(file));
    this.#file = file;
    this.#options = options;
  }

  get info(): Implementation | undefined {
    return this.#described?.info;
  }

  get instructions(): string | undefined {
    return this.#described?.instructions;
  }

  get cache(): Freshness | undefined {
    return this.#described?.cache;
  }

  async load(surroundings: Surroundings = { log: silent, limits: limitsWith() }): Promise<Offer> {
    if (this.#offer !== undefined && this.#pool !== undefined) return this.#offer;
    if (isIsolated()) throw new TypeError(`Cannot isolate "${this.#file}": this process is isolated itself`);
    // Loaded when it is called for: most servers isolate nothing.
    const [{ Pool }, { remoteOffer }] = await Promise.all([import('./pool.ts'), import('./remote-entries.ts')]);
    this.#pool ??= new Pool({ file: this.#file, isolate: this.#options, ...surroundings });
    try {
      this.#described = await this.#pool.describe();
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new TypeError(`Cannot load module "${this.#file}" in a process of its own: ${why}`, { cause });
    }
    this.#offer ??= remoteOffer(this.#described.offer, (job, call) => this.#run(job, call));
    return this.#offer;
  }

  // Its items never change; who watches says that it is served, and who stops, that it is not.
  watch(_listener: (change: Change) => void): () => void {
    this.#watchers += 1;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.#watchers -= 1;
      if (this.#watchers > 0) return;
      this.#pool?.close();
      this.#pool = undefined;
    };
  }

  #run(job: Job, call: Call): Promise<Json | undefined> {
    if (this.#pool === undefined) return Promise.reject(new Fault('E_CLOSED', 'The server is shutting down'));
    return this.#pool.run(job, call);
  }
}
