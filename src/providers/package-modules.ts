import { createServer } from '../catalog/server.ts';
import { type LoadedModule, loadModule, type ModuleOptions } from './modules.ts';

let modules: Promise<Record<string, unknown>> | undefined;

const OPTIONS: ModuleOptions = {
  modules() {
    modules ??= loadEntries();
    return modules;
  },
  create: (name) => createServer({ name, version: '0.0.0' }),
};

/** Loads a user's file; it may import this package without having it installed. */
export async function loadPackageModule(path: string): Promise<LoadedModule> {
  return loadModule(path, OPTIONS);
}

async function loadEntries(): Promise<Record<string, unknown>> {
  // By address, since an import would tie the knot: the entries import this room.
  const [entry, testing] = await Promise.all([
    import(new URL('../index.js', import.meta.url).href),
    import(new URL('../testing.js', import.meta.url).href),
  ]);
  return { 'parley-mcp': entry, 'parley-mcp/testing': testing };
}
