import type { Provider, Surroundings } from '../catalog/provider.ts';
import type { Server } from '../catalog/server.ts';
import type { IsolateOptions } from '../model/isolate.ts';
import { isolating } from '../providers/isolated/isolating.ts';
import { moduleFile } from '../providers/modules.ts';
import { loadPackageModule } from '../providers/package-modules.ts';

/** A module that is ready to be served. */
export interface OpenModule {
  readonly provider: Provider;
  /** What it says of itself. */
  readonly identity: Partial<Pick<Server, 'info' | 'instructions' | 'cache'>>;
}

export interface OpenModulesOptions extends Surroundings {
  /** Isolate all items of every module. */
  readonly isolate?: IsolateOptions | undefined;
}

/** Loads users' files one after another, and isolates what is to be isolated. */
export async function openModules(
  paths: readonly string[],
  { isolate, ...surroundings }: OpenModulesOptions,
): Promise<OpenModule[]> {
  const modules: OpenModule[] = [];
  for (const path of paths) {
    modules.push(await (isolate === undefined ? open(path, surroundings) : openIsolated(path, isolate, surroundings)));
  }
  return modules;
}

async function open(path: string, surroundings: Surroundings): Promise<OpenModule> {
  const { provider, isolate } = await loadPackageModule(path);
  if (isolate !== undefined) return openIsolated(path, isolate, surroundings);
  return { provider: isolating(provider, moduleFile(path)), identity: provider as Partial<Server> };
}

async function openIsolated(path: string, isolate: IsolateOptions, surroundings: Surroundings): Promise<OpenModule> {
  const { isolated } = await import('../providers/isolated/isolated.ts');
  const provider = isolated(path, isolate);
  await provider.load(surroundings);
  return { provider, identity: provider as Partial<Server> };
}
