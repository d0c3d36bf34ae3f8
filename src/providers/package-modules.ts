import { createServer } from '../catalog/server.ts';
import { type LoadedModule, loadModule, type ModuleOptions } from './modules.ts';

let options: Promise<ModuleOptions> | undefined;

/** Loads a user's file; what it imports from this package is this copy of it. */
export async function loadPackageModule(path: string): Promise<LoadedModule> {
  options ??= open();
  return loadModule(path, await options);
}

async function open(): Promise<ModuleOptions> {
  // By address, since an import would tie the knot: the entries import this room.
  const [entry, testing] = await Promise.all([
    import(new URL('../index.js', import.meta.url).href),
    import(new URL('../testing.js', import.meta.url).href),
  ]);
  return {
    modules: { 'parley-mcp': entry, 'parley-mcp/testing': testing },
    create: (name) => createServer({ name, version: '0.0.0' }),
  };
}
