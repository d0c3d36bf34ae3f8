import { type Limits, limitsWith } from '../model/limits.ts';
import type { Log } from '../model/log.ts';
import { escapeHidden } from '../model/portrait.ts';
import { warnOfLookAlikes } from './look-alikes.ts';
import { aliasesOf, checkNamespace, labelIn, longForm, nameIn, resolveName } from './namespace.ts';
import type {
  Completer,
  Mount,
  Offer,
  PromptEntry,
  Provider,
  ResourceEntry,
  Surroundings,
  TemplateEntry,
  ToolEntry,
} from './provider.ts';
import { screenOffer } from './screening.ts';
import { checkTool } from './tool-rules.ts';

/** Everything all mounts offer, tools and prompts by their short names, in the order it was mounted. */
export interface Flat {
  readonly tools: ReadonlyMap<string, ToolEntry>;
  /** By URI. */
  readonly resources: ReadonlyMap<string, ResourceEntry>;
  /** By URI template. */
  readonly templates: ReadonlyMap<string, TemplateEntry>;
  readonly prompts: ReadonlyMap<string, PromptEntry>;
  /** The short names of what is also found without its namespace. */
  readonly bare: { readonly [K in 'tools' | 'prompts']: ReadonlyMap<string, string> };
}

export interface FlattenOptions {
  readonly log: Log;
  /** Told to every source; the defaults unless given. */
  readonly limits?: Limits;
  /** Shows namespaced items as `mcp__ns__name`. */
  readonly longNames?: boolean;
  /** Finds namespaced tools and prompts by their own name too; two of one name are then refused. */
  readonly bareNames?: boolean;
}

/** Loads every mount, those inside others too, and gives each item its name. Throws `TypeError` when two collide. */
export async function flatten(mounts: readonly Mount[], options: FlattenOptions): Promise<Flat> {
  const surroundings = { log: options.log, limits: options.limits ?? limitsWith() };
  const bare = { tools: new Map(), prompts: new Map() };
  const flat = {
    tools: new Map(),
    resources: new Map(),
    templates: new Map(),
    prompts: new Map(),
    bare,
    owners: new Map(),
  };
  for (const loaded of await loadAll(mounts, { namespaces: [], inside: [], surroundings }))
    place(loaded, flat, options);
  for (const kind of ['tools', 'prompts'] as const) {
    refuseShadowed(bare[kind], flat[kind]);
    warnOfLookAlikes(kind.slice(0, -1), ownersOf(flat[kind], flat.owners), options.log);
  }
  return flat;
}

function refuseShadowed(aliases: ReadonlyMap<string, string>, listed: ReadonlyMap<string, unknown>): void {
  for (const [own, name] of aliases) {
    if (listed.has(own)) throw new TypeError(`Cannot mount "${own}": it also means "${name}"`);
  }
}

interface Place {
  readonly namespaces: readonly string[];
  readonly inside: readonly Provider[];
  readonly surroundings: Surroundings;
}
interface Loaded {
  readonly label: string;
  readonly namespaces: readonly string[];
  readonly offer: Offer;
  /** What breaks a rule is left out and does not take the rest with it. */
  readonly foreign: boolean;
}

async function loadAll(mounts: readonly Mount[], place: Place): Promise<Loaded[]> {
  return (await Promise.all(mounts.map((mount) => loadOne(mount, place)))).flat();
}

async function loadOne({ provider, namespace }: Mount, { namespaces, inside, surroundings }: Place): Promise<Loaded[]> {
  const label = namespace ?? provider.name;
  if (inside.includes(provider)) throw new TypeError(`Cannot mount "${label}": it is mounted inside itself`);
  if (namespace !== undefined) checkNamespace(namespace);
  const here = namespace === undefined ? namespaces : [...namespaces, namespace];
  const offer = await provider.load(surroundings);
  const within = await loadAll(offer.mounts ?? [], { namespaces: here, inside: [...inside, provider], surroundings });
  return [{ label, namespaces: here, offer, foreign: provider.foreign === true }, ...within];
}

interface Filling {
  readonly tools: Map<string, ToolEntry>;
  readonly resources: Map<string, ResourceEntry>;
  readonly templates: Map<string, TemplateEntry>;
  readonly prompts: Map<string, PromptEntry>;
  readonly bare: { readonly [K in 'tools' | 'prompts']: Map<string, string> };
  /** Whose an entry is. */
  readonly owners: Map<unknown, string>;
}

function place({ label, namespaces, foreign, ...loaded }: Loaded, flat: Filling, options: FlattenOptions): void {
  const offer = screenOffer(loaded.offer, { ...options, label });
  const { log, longNames = false, bareNames = false } = options;
  const each = placing(foreign, log);
  const shown = (name: string) => (longNames && namespaces.length > 0 ? longForm(name) : name);
  const put = <T>(kind: string, map: Map<string, T>, [key, entry]: readonly [string, T]) => {
    if (map.has(key)) {
      const first = foreign ? ` by "${flat.owners.get(map.get(key))}"` : '';
      throw new TypeError(`Cannot mount "${label}": ${kind} "${key}" is already mounted${first}`);
    }
    map.set(key, entry);
    flat.owners.set(entry, label);
  };
  const putNamed = <T>(kind: string, map: Map<string, T>, [name, entry]: readonly [string, T]) => {
    const other = [resolveName(name), ...aliasesOf(name)].find((alias) => alias !== name && map.has(alias));
    if (other !== undefined) throw new TypeError(`Cannot mount "${label}": ${kind} "${name}" also means "${other}"`);
    put(kind, map, [name, entry]);
  };
  const alias = (aliases: Map<string, string>, own: string, name: string) => {
    if (!bareNames || foreign || namespaces.length === 0) return;
    const other = aliases.get(own);
    if (other !== undefined) throw new TypeError(`Cannot mount "${label}": "${own}" means "${other}" already`);
    aliases.set(own, name);
  };
  each(offer.tools, (entry) => {
    checkTool(entry.tool);
    refuseIsolated(entry);
    const name = nameIn(namespaces, entry.tool.name, log);
    putNamed('tool', flat.tools, [name, toolNamed(entry, shown(name))]);
    alias(flat.bare.tools, entry.tool.name, name);
  });
  each(offer.resources, (entry) => {
    const name = labelIn(namespaces, entry.resource.name);
    put('resource', flat.resources, [entry.resource.uri, resourceNamed(entry, shown(name))]);
  });
  each(offer.templates, (entry) => {
    const name = labelIn(namespaces, entry.template.name);
    put('resource template', flat.templates, [entry.template.uriTemplate, templateNamed(entry, shown(name))]);
  });
  each(offer.prompts, (entry) => {
    const name = nameIn(namespaces, entry.prompt.name, log);
    putNamed('prompt', flat.prompts, [name, promptNamed(entry, shown(name))]);
    alias(flat.bare.prompts, entry.prompt.name, name);
  });
}

/** Places entries one by one; what cannot be placed of a foreign source is left out, with a line in the log. */
function placing(foreign: boolean, log: Log) {
  return <E>(entries: readonly E[] | undefined, work: (entry: E) => void): void => {
    for (const entry of entries ?? []) {
      try {
        work(entry);
      } catch (error) {
        if (!foreign) throw error;
        log('warn', `Left out an item: ${escapeHidden((error as Error).message)}`);
      }
    }
  };
}

function ownersOf(listed: ReadonlyMap<string, unknown>, owners: ReadonlyMap<unknown, string>): Map<string, string> {
  return new Map([...listed].map(([name, entry]) => [name, owners.get(entry) ?? '']));
}

function refuseIsolated({ tool, isolate }: ToolEntry): void {
  if (isolate === undefined) return;
  throw new TypeError(
    `Cannot isolate tool "${tool.name}": a handler cannot move to another process by itself. Put the server into a ` +
      'file and serve that: with --module, or mounted as isolated(url)',
  );
}

// An entry may be an instance of a class with private state, so its methods are called on it, never copied off it.

/** What it takes to see and use an item. */
function guarding({ scopes, stepUp }: Pick<ToolEntry, 'scopes' | 'stepUp'>): Pick<ToolEntry, 'scopes' | 'stepUp'> {
  if (scopes === undefined) return {};
  return { scopes: Object.freeze([...scopes]), ...(stepUp === undefined ? {} : { stepUp }) };
}

function toolNamed(entry: ToolEntry, name: string): ToolEntry {
  const { checkInput, checkOutput, deadlineMs, bounds, startsReleased } = entry;
  return Object.freeze({
    tool: Object.freeze({ ...entry.tool, name }),
    ...guarding(entry),
    ...(checkInput === undefined ? {} : { checkInput: checkInput.bind(entry) }),
    ...(checkOutput === undefined ? {} : { checkOutput: checkOutput.bind(entry) }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(bounds === undefined ? {} : { bounds }),
    ...(startsReleased === undefined ? {} : { startsReleased }),
    run: entry.run.bind(entry),
  });
}

function resourceNamed(entry: ResourceEntry, name: string): ResourceEntry {
  return Object.freeze({
    resource: Object.freeze({ ...entry.resource, name }),
    ...guarding(entry),
    ...(entry.fresh === undefined ? {} : { fresh: entry.fresh }),
    read: entry.read.bind(entry),
  });
}

function templateNamed(entry: TemplateEntry, name: string): TemplateEntry {
  return Object.freeze({
    template: Object.freeze({ ...entry.template, name }),
    ...guarding(entry),
    ...(entry.fresh === undefined ? {} : { fresh: entry.fresh }),
    ...(entry.complete === undefined ? {} : { complete: bare(entry.complete) }),
    variables: entry.variables,
    match: entry.match.bind(entry),
    read: entry.read.bind(entry),
  });
}

/** Without a prototype, so that no name finds what nobody registered. */
function bare(completers: Readonly<Record<string, Completer>>): Readonly<Record<string, Completer>> {
  return Object.freeze(Object.assign(Object.create(null), completers));
}

function promptNamed(entry: PromptEntry, name: string): PromptEntry {
  return Object.freeze({
    prompt: Object.freeze({ ...entry.prompt, name }),
    ...guarding(entry),
    ...(entry.complete === undefined ? {} : { complete: bare(entry.complete) }),
    get: entry.get.bind(entry),
  });
}
