import { appendFileSync } from 'node:fs';
import type { Mount, Provider } from '../catalog/provider.ts';
import { createServer, type Server } from '../catalog/server.ts';
import type { Log, Severity } from '../model/log.ts';
import { loadModule } from '../providers/modules.ts';
import type { Store } from '../store/store.ts';
import { createHost, type Host, type HostOptions } from './host.ts';
import { createLog } from './log.ts';
import { PACKS } from './packs.ts';
import type { Preset } from './presets/preset.ts';
import { PRESETS } from './presets/presets.ts';
import { VERSION } from './version.ts';

/** What a command was told to serve. */
export interface Settings {
  readonly modules: readonly string[];
  readonly preset?: string;
  readonly logLevel: Severity | 'silent';
  readonly logFile?: string;
  readonly secrets?: readonly string[];
  /** Serve JSON-RPC without a handshake, in the bare shape. */
  readonly bare?: boolean;
}

/** Loads everything the settings name and builds the host that serves it. */
export async function openHost(settings: Settings, store?: Store): Promise<Host> {
  const log = openLog(settings);
  const preset = presetOf(settings);
  const packs = await Promise.all((preset?.packs ?? []).map((name) => loadPack(name)));
  const modules = await loadModules(settings.modules);
  const mounts: Mount[] = [...packs, ...modules].map((provider) => ({ provider }));
  return createHost({
    ...identityOf(preset, modules),
    mounts,
    log,
    ...(store === undefined ? {} : { store }),
    ...(settings.secrets === undefined ? {} : { secrets: settings.secrets }),
    ...(settings.bare === undefined ? {} : { bare: settings.bare }),
    ...preset?.host,
  });
}

function presetOf({ preset, modules }: Settings): Preset | undefined {
  const name = preset ?? (modules.length === 0 ? 'starter' : undefined);
  return name === undefined ? undefined : PRESETS[name];
}

async function loadPack(name: string): Promise<Provider> {
  const load = PACKS[name];
  if (load === undefined) throw new TypeError(`Cannot load pack "${name}": there is no such pack`);
  return load();
}

async function loadModules(paths: readonly string[]): Promise<Provider[]> {
  if (paths.length === 0) return [];
  // By address, since an import would tie the knot: the entries import this room.
  const [entry, testing] = await Promise.all(
    ['../index.js', '../testing.js'].map((path) => import(new URL(path, import.meta.url).href)),
  );
  const options = {
    modules: { 'parley-mcp': entry, 'parley-mcp/testing': testing },
    create: (name: string) => createServer({ name, version: '0.0.0' }),
  };
  const loaded: Provider[] = [];
  for (const path of paths) loaded.push(await loadModule(path, options));
  return loaded;
}

function identityOf(
  preset: Preset | undefined,
  modules: readonly Provider[],
): Pick<HostOptions, 'server' | 'instructions' | 'cache'> {
  if (preset !== undefined) return { server: preset.server, instructions: preset.instructions };
  const [only, another] = modules as readonly Partial<Server>[];
  if (another !== undefined || only?.info === undefined) return { server: { name: 'parley', version: VERSION } };
  return { server: only.info, instructions: only.instructions, cache: only.cache };
}

function openLog({ logLevel, logFile }: Settings): Log {
  if (logFile !== undefined) return createLog({ level: logLevel, write: (line) => appendFileSync(logFile, line) });
  const { stderr } = process;
  return createLog({ level: logLevel, write: (line) => stderr.write(line), pretty: stderr.isTTY === true });
}
