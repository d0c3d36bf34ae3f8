import type { Provider } from '../catalog/provider.ts';
import type { Log } from '../model/log.ts';
import type { ContextShelf } from '../providers/packs/context/shelf.ts';
import type { LogSource } from '../providers/packs/logs/logs.ts';
import type { ServerInfoSources } from '../providers/packs/server-info/server-info.ts';
import type { PackUse } from './presets/preset.ts';
import { namesOf, switchOf, type Variable, type Variables } from './variables.ts';

/** What a pack is made from. */
export interface PackParts {
  /** The text a setting holds, if it is set. */
  option(variable: Variable): string | undefined;
  readonly log: Log;
  /** What the server knows about itself; asked for by packs that tell it. */
  about(): Promise<ServerInfoSources>;
  /** Where clients put values aside. */
  shelf(): Promise<ContextShelf>;
  /** The files of the log, where there are any. */
  readonly logs: LogSource | undefined;
}

/** Makes a pack; `undefined` when it has nothing to offer, and the log says why. */
export type PackMaker = (parts: PackParts) => Promise<Provider | undefined>;

/** Every built-in pack, loaded when a configuration names it. */
export const PACKS: Readonly<Record<string, PackMaker>> = {
  hello: async () => (await import('../providers/packs/hello.ts')).createHello(),
  greeting: async () => (await import('../providers/packs/greeting.ts')).createGreeting(),
  humanity: async () => (await import('../providers/packs/humanity/humanity.ts')).createHumanity(),
  context: async ({ shelf }) => (await import('../providers/packs/context/context.ts')).createContext(await shelf()),
  lisp: async ({ option, log }) => (await import('../providers/packs/lisp/open.ts')).openLisp(option('lisp'), log),
  logs: async ({ logs }) => (await import('../providers/packs/logs/logs.ts')).createLogs(logs),
  contract: async () => (await import('../providers/packs/contract/contract.ts')).createContract(),
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
    (await import('../providers/packs/server-info/server-info.ts')).createServerInfo(await about()),
};

export interface PackChoice extends Omit<PackParts, 'option'> {
  readonly variables: Variables;
}

/** Makes the packs that are switched on, in their order. */
export async function loadPacks(uses: readonly PackUse[], choice: PackChoice): Promise<Provider[]> {
  const { variables, log } = choice;
  const parts: PackParts = { ...choice, option: (variable) => variables[variable] };
  const switches = new Set(uses.flatMap(({ when }) => (when === undefined ? [] : [when])));
  const off = new Set([...switches].filter((variable) => !isOn(variable, variables, log)));
  const on = uses.filter(({ when }) => when === undefined || !off.has(when));
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
