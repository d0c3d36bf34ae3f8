import type { Surroundings, ToolEntry } from '../../catalog/provider.ts';
import type { IsolateOptions } from '../../model/isolate.ts';
import { describeTool } from './describe.ts';
import { Pool } from './pool.ts';
import { remoteTool } from './remote-entries.ts';

/** The processes of one file: tools that want theirs made alike share them. */
export class Pools {
  readonly #file: string;
  readonly #pools = new Map<string, Pool>();

  constructor(file: string) {
    this.#file = file;
  }

  /** The same tool with its handler in a process of its own. */
  remote(entry: ToolEntry, path: readonly string[], surroundings: Surroundings): ToolEntry {
    const { isolate = {} } = entry;
    return remoteTool(describeTool(entry), {
      path,
      run: (job, call) => this.#get(isolate, surroundings).run(job, call),
    });
  }

  close(): void {
    for (const pool of this.#pools.values()) pool.close();
    this.#pools.clear();
  }

  #get(isolate: IsolateOptions, surroundings: Surroundings): Pool {
    const key = JSON.stringify(Object.entries(isolate).sort());
    const pool = this.#pools.get(key) ?? new Pool({ file: this.#file, isolate, ...surroundings });
    this.#pools.set(key, pool);
    return pool;
  }
}
