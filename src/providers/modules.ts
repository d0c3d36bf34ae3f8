import fs from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import type { Provider } from '../catalog/provider.ts';
import { type IsolateOptions, isolateOf } from '../model/isolate.ts';
import { importNatively } from './native-modules.ts';

export interface ModuleOptions {
  /** What the names of this package mean to a file that finds no such package beside it. */
  modules(): Promise<Readonly<Record<string, unknown>>>;
  /** Makes an empty server for a file that exports a function to fill one. */
  create(name: string): Provider;
}

export interface LoadedModule {
  /** What the file serves. */
  readonly provider: Provider;
  /** How the file wants all its items isolated, if it does. */
  readonly isolate: IsolateOptions | undefined;
}

/** The whole path of a module. Throws `TypeError` when there is no such file. */
export function moduleFile(path: string): string {
  const file = resolve(path);
  if (!fs.existsSync(file)) throw new TypeError(`Cannot load module "${path}": no such file`);
  if (!fs.statSync(file).isFile()) throw new TypeError(`Cannot load module "${path}": it is not a file`);
  return file;
}

/** Loads a user's file, TypeScript or JavaScript, without a build step. */
export async function loadModule(path: string, options: ModuleOptions): Promise<LoadedModule> {
  const file = moduleFile(path);
  const exports = (await importNatively(file)) ?? (await importTranslated(file, options));
  const isolate = isolateOf(exports['isolate'] as boolean | IsolateOptions | undefined, `Cannot load module "${path}"`);
  return { provider: await providerOf(exports, { path, create: options.create }), isolate };
}

async function importTranslated(file: string, { modules }: ModuleOptions): Promise<Record<string, unknown>> {
  const { createJiti } = await import('jiti');
  const virtualModules = { ...(await modules()) };
  const jiti = createJiti(import.meta.url, { virtualModules, moduleCache: true, fsCache: true });
  return jiti.import(file);
}

async function providerOf(
  exports: Record<string, unknown>,
  { path, create }: { path: string } & Pick<ModuleOptions, 'create'>,
): Promise<Provider> {
  // A loader may present a module without a default export as its own default.
  const offered = [exports['default'], exports['server']].find(
    (value) => isProvider(value) || typeof value === 'function',
  );
  if (isProvider(offered)) return offered;
  if (typeof offered !== 'function') {
    throw new TypeError(
      `Cannot load module "${path}": export a server as default or as "server", or a function that fills one`,
    );
  }
  const server = create(basename(path, extname(path)));
  const made: unknown = await offered(server);
  return isProvider(made) ? made : server;
}

// By shape and not by class: the file may have got its server from another copy of the package.
function isProvider(value: unknown): value is Provider {
  return (
    typeof value === 'object' &&
    value !== null &&
    'load' in value &&
    typeof value.load === 'function' &&
    'name' in value
  );
}
