import { availableParallelism, freemem, loadavg, release, totalmem } from 'node:os';
import type { Implementation } from '../model/items.ts';
import type { JsonObject } from '../model/json.ts';
import type { Limits } from '../model/limits.ts';
import type { RateLimit } from '../model/rate.ts';
import { type Redact, redactShapes } from '../model/redact.ts';
import type { ServerInfoSources } from '../providers/packs/server-info/server-info.ts';
import type { Variable, Variables } from './variables.ts';
import type { Vitals } from './vitals.ts';

export interface AboutParts {
  readonly server: Implementation;
  readonly preset: string | undefined;
  readonly modules: readonly string[];
  readonly logLevel: string;
  readonly limits: Limits;
  /** Over HTTP. */
  readonly rateLimit?: RateLimit | undefined;
  readonly variables: Variables;
  /** How many secrets are set; never which. */
  readonly secrets: number;
  readonly redact?: Redact;
  readonly vitals: Vitals;
  lines(): readonly string[];
}

/** What the server knows about itself, for the resources that tell it. */
export function createAbout(parts: AboutParts): ServerInfoSources {
  return { config: () => configOf(parts), metrics: parts.vitals.read, system, logs: parts.lines };
}

function configOf(parts: AboutParts): JsonObject {
  const { server, preset, modules, logLevel, limits, rateLimit, variables, secrets, redact = redactShapes } = parts;
  const settings = Object.entries(variables).map(([name, value]) => [
    name,
    redact(PLACES.has(name) ? withoutPath(value) : value),
  ]);
  return {
    server: { name: server.name, version: server.version },
    ...(preset === undefined ? {} : { preset }),
    modules: modules.map((path) => redact(withoutPath(path))),
    logLevel,
    settings: Object.fromEntries(settings),
    secrets: secrets === 0 ? 'none' : '[redacted]',
    limits: { ...limits },
    ...(rateLimit === undefined ? {} : { rateLimit: { ...rateLimit } }),
  };
}

/** Settings that are places on this machine. */
const PLACES: ReadonlySet<string> = new Set(['fileRoot', 'logDirectory'] satisfies Variable[]);

/** Of a place on this machine only its own name, since where it is concerns no client. */
function withoutPath(text: string): string {
  return `…/${text.split(/[/\\]+/).findLast((part) => part !== '') ?? ''}`;
}

function system(): JsonObject {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  return {
    node: { version: process.version, os: process.platform, arch: process.arch },
    process: { pid: process.pid, uptimeSeconds: Math.round(process.uptime()), cpuSeconds: cpuSeconds() },
    memory: { rss, heapTotal, heapUsed, external },
    machine: {
      release: release(),
      numCPU: availableParallelism(),
      totalMemory: totalmem(),
      freeMemory: freemem(),
      loadAverage: loadavg(),
    },
    timestamp: new Date().toISOString(),
  };
}

function cpuSeconds(): number {
  const { user, system: kernel } = process.cpuUsage();
  return (user + kernel) / 1e6;
}
