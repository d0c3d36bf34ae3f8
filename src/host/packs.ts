import type { Provider } from '../catalog/provider.ts';
import type { Log } from '../model/log.ts';
import type { ServerInfoSources } from '../providers/packs/server-info/server-info.ts';
import type { PackUse } from './presets/preset.ts';
import { namesOf, switchOf, type Variable, type Variables } from './variables.ts';

/** What a pack is made from. */
export interface PackParts {
  /** The text a setting holds, if it is set. */
  option(variable: Variable): string | undefined;
  readonly log: Log;
  /** What the server knows about itself; asked for by packs that tell it. */
  about(): ServerInfoSources;
}

/** Makes a pack; `undefined` when it has nothing to offer, and the log says why. */
export type PackMaker = (parts: PackParts) => Promise<Provider | undefined>;

/** Every built-in pack, loaded when a configuration names it. */
export const PACKS: Readonly<Record<string, PackMaker>> = {
  hello: async () => (await import('../providers/packs/hello.ts')).createHello(),
  calculator: async () => (await import('../providers/packs/calculator/calculator.ts')).createCalculator(),
  async files({ option, log }) {
    const root = option('fileRoot');
    if (root === undefined) {
      log('warn', `The file tools stay off: set ${namesOf('fileRoot')} to the directory they may read`);
      return undefined;
    }
    const { createFiles } = await import('../providers/packs/files/files.ts');
    return createFiles({ root });
  },
  async http({ option }) {
    const { createHttp } = await import('../providers/packs/http/http.ts');
    const ports = option('httpPorts');
    return createHttp({
      allow: listOf(option('httpAllow')),
      ...(ports === undefined ? {} : { ports: listOf(ports).map(portOf) }),
    });
  },
  'server-info': async ({ about }) =>
    (await import('../providers/packs/server-info/server-info.ts')).createServerInfo(about()),
};

export interface PackChoice {
  readonly variables: Variables;
  readonly log: Log;
  about(): ServerInfoSources;
}

/** Makes the packs that are switched on, in their order. */
export async function loadPacks(uses: readonly PackUse[], { variables, log, about }: PackChoice): Promise<Provider[]> {
  const parts: PackParts = { option: (variable) => variables[variable], log, about };
  const on = uses.filter(({ when }) => when === undefined || isOn(when, variables, log));
  const packs = await Promise.all(on.map(({ name }) => makerOf(name)(parts)));
  return packs.filter((pack) => pack !== undefined);
}

function makerOf(name: string): PackMaker {
  const maker = Object.hasOwn(PACKS, name) ? PACKS[name] : undefined;
  if (maker === undefined) throw new TypeError(`Cannot load pack "${name}": there is no such pack`);
  return maker;
}

function isOn(variable: Variable, variables: Variables, log: Log): boolean {
  const text = variables[variable];
  if (text === undefined) return false;
  const on = switchOf(text);
  if (on === undefined) log('warn', `Not understood, so off: ${namesOf(variable)} is neither true nor false`, { text });
  return on === true;
}

function listOf(text = ''): string[] {
  const parts = text.split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '');
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port > 0 && port <= 65_535) return port;
  throw new TypeError(`Cannot use ${namesOf('httpPorts')}: "${text}" is no port`);
}
