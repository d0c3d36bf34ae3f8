import type { Catalog } from '../../catalog/catalog.ts';
import type { ServerCapabilities } from '../../model/capabilities.ts';
import { Fault } from '../../model/fault.ts';
import type { Freshness, Implementation } from '../../model/items.ts';
import type { Eventually } from '../../model/json.ts';
import type { Answer, Ask } from '../../model/verbs.ts';
import type { Handlers } from '../dispatch.ts';
import type { ToolGate } from '../policies/limit.ts';
import { type Family, type Promises, promisesOf } from '../promises.ts';
import type { Turn } from '../turn.ts';
import { complete, getPrompt } from './prompts.ts';
import { honour, readResource, watchResource } from './resources.ts';
import { createTaskHandlers, honourTasks, type TaskDesk } from './tasks.ts';
import { createCallTool } from './tools.ts';

export interface Identity {
  readonly server: Implementation;
  readonly instructions?: string | undefined;
  /** Said instead of what the catalog offers, where a server must say exactly this. */
  readonly capabilities?: ServerCapabilities | undefined;
  /** The revisions a request may claim for itself. */
  readonly revisions: readonly string[];
  readonly fresh?: Freshness | undefined;
}

/** Who helps the handlers. */
export interface Desks {
  readonly tasks?: TaskDesk | undefined;
  readonly gate: ToolGate;
}

/** Answers every verb from whatever the catalog is at that moment. */
export function createHandlers(identity: Identity, catalog: () => Catalog, { tasks, gate }: Desks): Handlers {
  const callTool = createCallTool(gate);
  const welcome = createWelcome(identity, tasks !== undefined);
  const promises = promisesOf(identity.capabilities, catalog);
  const desk = (): TaskDesk | undefined => (promises.offers('tasks') ? tasks : undefined);
  const offering = (family: Family): Catalog => {
    if (!promises.offers(family)) throw notOffered(family);
    return catalog();
  };
  const watching = (): Catalog => {
    if (!promises.watches) throw notOffered('subscriptions to resources');
    return offering('resources');
  };
  return {
    hello: () => welcome(catalog()),
    ping: () => ({}),
    ready: () => ({}),
    'tools.list': ({ cursor }) => offering('tools').tools(cursor),
    'tools.call': (ask, turn) => callTool(offering('tools'), ask, turn),
    'resources.list': ({ cursor }) => offering('resources').resources(cursor),
    'resources.templates': ({ cursor }) => offering('resources').templates(cursor),
    'resources.read': (ask, turn) => readResource(offering('resources'), ask, turn),
    'resources.watch': (ask) => watchResource(watching(), ask),
    'resources.unwatch': () => {
      watching();
      return {};
    },
    'prompts.list': ({ cursor }) => offering('prompts').prompts(cursor),
    'prompts.get': (ask, turn) => getPrompt(offering('prompts'), ask, turn),
    complete: (ask, turn) => complete(offering('completions'), ask, turn),
    'log.level': () => {
      if (!promises.logs) throw notOffered('logging');
      return {};
    },
    ...createTaskHandlers(desk),
    listen: (ask, turn) => answerListen(catalog(), ask, { desk: desk(), turn, promises }),
  };
}

function notOffered(what: string): Fault {
  return new Fault('E_UNKNOWN_METHOD', `Method not found: this server offers no ${what}`);
}

/** What of a filter is honoured; only one that names tasks takes a look at them. */
function answerListen(
  catalog: Catalog,
  { filter }: Ask<'listen'>,
  { desk, turn, promises }: { desk: TaskDesk | undefined; turn: Turn; promises: Promises },
): Eventually<Answer<'listen'>> {
  const honoured = honour(catalog, filter, promises);
  if (filter.tasks === undefined) return { filter: honoured };
  return honourTasks(desk, { honoured, ids: filter.tasks, turn }).then((known) => ({ filter: known }));
}

/** The same answer object as long as the catalog is the same, so that its text can be kept. */
function createWelcome(
  { server, instructions, capabilities, revisions, fresh }: Identity,
  tasks: boolean,
): (catalog: Catalog) => Answer<'hello'> {
  const known = new WeakMap<Catalog, Answer<'hello'>>();
  return (catalog) => {
    const kept = known.get(catalog);
    if (kept !== undefined) return kept;
    const answer: Answer<'hello'> = {
      server,
      capabilities: capabilities ?? capabilitiesOf(catalog, tasks),
      revisions,
      ...(instructions === undefined ? {} : { instructions }),
      ...(fresh === undefined ? {} : { fresh }),
    };
    known.set(catalog, answer);
    return answer;
  };
}

function capabilitiesOf({ offers }: Catalog, tasks: boolean): ServerCapabilities {
  return {
    ...(offers.tools ? { tools: { listChanged: true } } : {}),
    ...(offers.resources ? { resources: { subscribe: true, listChanged: true } } : {}),
    ...(offers.prompts ? { prompts: { listChanged: true } } : {}),
    ...(offers.completions ? { completions: {} } : {}),
    ...(offers.tasks && tasks ? { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } } : {}),
    logging: {},
  };
}
