import type { AccessRule } from '../catalog/needs.ts';
import type { Mount, Provider, Surroundings } from '../catalog/provider.ts';
import type { Policy } from '../core/dispatch.ts';
import type { AuditOptions } from '../core/policies/audit.ts';
import type { IsolateOptions } from '../model/isolate.ts';
import { type Limits, limitsWith } from '../model/limits.ts';
import type { Log, Severity } from '../model/log.ts';
import type { ContextShelf } from '../providers/packs/context/shelf.ts';
import type { ServerInfoSources } from '../providers/packs/server-info/server-info.ts';
import { createMemoryStore } from '../store/memory.ts';
import type { Store } from '../store/store.ts';
import type { AboutParts } from './about.ts';
import type { KeptAudit } from './audit-file.ts';
import { createHost, type Host, type HostOptions } from './host.ts';
import { keepLog } from './log-keeping.ts';
import { createLogRing } from './log-ring.ts';
import type { OpenModule } from './open-modules.ts';
import { loadPacks } from './packs.ts';
import type { Preset } from './presets/preset.ts';
import { PRESETS } from './presets/presets.ts';
import { type RateChoice, rateLimitOf } from './rate-limit.ts';
import type { Variables } from './variables.ts';
import { VERSION } from './version.ts';
import type { Vitals } from './vitals.ts';

/** What a command was told to serve. */
export interface Settings {
  readonly modules: readonly string[];
  /** Run everything the modules offer in processes of their own. */
  readonly isolate?: IsolateOptions;
  readonly preset?: string;
  readonly logLevel: Severity | 'silent';
  readonly logFile?: string;
  /** A file that takes a line for everything clients ask for, or `stderr`. */
  readonly audit?: string;
  /** Tell their arguments there too. */
  readonly auditArguments?: boolean;
  readonly secrets?: readonly string[];
  /** Serve JSON-RPC without a handshake, in the bare shape. */
  readonly bare?: boolean;
  /** How often one peer may use the endpoint over HTTP, in place of what the preset says. */
  readonly rateLimit?: RateChoice;
  /** Limits in place of those of the preset. */
  readonly limits?: Partial<Limits>;
  /** Which scopes items need, besides what they say themselves. */
  readonly rules?: readonly AccessRule[] | undefined;
  /** Who has no principal is the one who started the server, and sees everything. */
  readonly trusting?: boolean;
  /** What the environment says. */
  readonly variables?: Variables;
}

/** Loads everything the settings name and builds the host that serves it. */
export async function openHost(settings: Settings, store?: Store): Promise<Host> {
  const { variables = {}, secrets, bare } = settings;
  const preset = presetOf(settings);
  const rateLimit = rateLimitOf(settings.rateLimit, preset?.rateLimit);
  const kept = keepLog({ ...settings, variables, files: preset?.logFiles });
  const ring = createLogRing(kept.log, { redact: kept.redact });
  const audit = await auditFor(settings, ring.log);
  const limits = limitsWith({ ...preset?.host?.limits, ...settings.limits });
  const modules = await modulesOf(settings, { limits, log: ring.log });
  const identity = identityOf(preset, modules, variables);
  const known = lazily(() =>
    openAbout({
      server: identity.server,
      preset: settings.preset,
      modules: settings.modules,
      logLevel: settings.logLevel,
      limits,
      rateLimit,
      variables,
      secrets: secrets?.length ?? 0,
      redact: kept.redact,
      lines: ring.lines,
    }),
  );
  const about = async () => (await known.get()).about;
  const shelves = lazily(() => openShelf(ring.log, store));
  const shelf = async () => (await shelves.get()).shelf;
  const parts = { variables, log: ring.log, about, shelf, logs: kept.source };
  const packs = await loadPacks(preset?.packs ?? [], parts);
  const host = await createHost({
    ...identity,
    mounts: mountsOf(packs, modules, preset?.namespace),
    log: ring.log,
    policies: await policiesOf(preset, shelf),
    rateLimit,
    audit: auditing(audit, { arguments: settings.auditArguments, redact: kept.redact }),
    ...(store === undefined ? {} : { store }),
    ...(secrets === undefined ? {} : { secrets }),
    ...(bare === undefined ? {} : { bare }),
    rules: settings.rules,
    trusting: settings.trusting ?? false,
    ...preset?.host,
    limits,
  });
  return {
    ...host,
    close() {
      void known.made()?.then(({ vitals }) => vitals.close());
      host.close();
      void shelves.made()?.then((made) => made.close());
      audit?.close();
      kept.close();
    },
  };
}

async function auditFor({ audit }: Settings, log: Log): Promise<KeptAudit | undefined> {
  if (audit === undefined) return undefined;
  const { keepAudit } = await import('./audit-file.ts');
  return keepAudit(audit, log);
}

function auditing(kept: KeptAudit | undefined, options: Omit<AuditOptions, 'sink'>): HostOptions['audit'] {
  return kept === undefined ? undefined : { ...options, sink: (entry) => kept.write(entry) };
}

/** The packs, in the preset's namespace if it has one, and then the modules. */
function mountsOf(packs: readonly Provider[], modules: readonly OpenModule[], namespace?: string): Mount[] {
  const named = namespace === undefined ? {} : { namespace };
  return [...packs.map((provider) => ({ provider, ...named })), ...modules.map(({ provider }) => ({ provider }))];
}

/** Made when it is first asked for, since what nobody reads need not be counted. */
function lazily<T>(make: () => T): { get(): T; made(): T | undefined } {
  let made: T | undefined;
  return {
    get() {
      made ??= make();
      return made;
    },
    made: () => made,
  };
}

function presetOf({ preset, modules }: Settings): Preset | undefined {
  const name = preset ?? (modules.length === 0 ? 'starter' : undefined);
  return name === undefined ? undefined : PRESETS[name];
}

async function modulesOf({ modules, isolate }: Settings, surroundings: Surroundings): Promise<OpenModule[]> {
  if (modules.length === 0) return [];
  const { openModules } = await import('./open-modules.ts');
  return openModules(modules, { isolate, ...surroundings });
}

type Identity = Pick<HostOptions, 'server' | 'instructions' | 'cache'>;

function identityOf(preset: Preset | undefined, modules: readonly OpenModule[], variables: Variables): Identity {
  const { serverName, serverVersion } = variables;
  const identity = preset ?? identityOfModules(modules);
  return {
    server: {
      ...identity.server,
      ...(serverName === undefined ? {} : { name: serverName }),
      ...(serverVersion === undefined ? {} : { version: serverVersion }),
    },
    instructions: identity.instructions,
    ...('cache' in identity ? { cache: identity.cache } : {}),
  };
}

function identityOfModules([only, another]: readonly OpenModule[]): Identity {
  const { info, instructions, cache } = only?.identity ?? {};
  if (another !== undefined || info === undefined) return { server: { name: 'parley', version: VERSION } };
  return { server: info, instructions, cache };
}

async function policiesOf(preset: Preset | undefined, shelf: () => Promise<ContextShelf>): Promise<readonly Policy[]> {
  return [
    ...(preset?.context === true ? [(await import('./context.ts')).context(await shelf())] : []),
    ...(preset?.doctor === true ? [(await import('../core/policies/doctor.ts')).doctor] : []),
  ];
}

interface OpenAbout {
  readonly about: ServerInfoSources;
  readonly vitals: Vitals;
}

/** What the server knows about itself, counted from here on. */
async function openAbout(parts: Omit<AboutParts, 'vitals'>): Promise<OpenAbout> {
  const [{ createAbout }, { createVitals }] = await Promise.all([import('./about.ts'), import('./vitals.ts')]);
  const vitals = createVitals();
  return { about: createAbout({ ...parts, vitals }), vitals };
}

interface OpenShelf {
  readonly shelf: ContextShelf;
  close(): void;
}

/** Where clients put values aside: in the store that is given, else in one that ends with the host. */
async function openShelf(log: Log, given: Store | undefined): Promise<OpenShelf> {
  const { ContextShelf } = await import('../providers/packs/context/shelf.ts');
  const own = given === undefined ? createMemoryStore({ log }) : undefined;
  const { records } = given ?? (own as Store);
  return { shelf: new ContextShelf(records), close: () => void own?.close() };
}
