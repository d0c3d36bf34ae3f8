import type { Catalog } from '../../catalog/catalog.ts';
import type { ServerCapabilities } from '../../model/capabilities.ts';
import { Fault } from '../../model/fault.ts';
import type { Freshness, Implementation } from '../../model/items.ts';
import type { Eventually } from '../../model/json.ts';
import type { Answer, Ask } from '../../model/verbs.ts';
import type { Handlers } from '../dispatch.ts';
import type { ToolGate } from '../policies/limit.ts';
import { type Family, type Promises, promisesOf } from '../promises.ts';
import type { Sight } from '../sight.ts';
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
  readonly sight: Sight;
}

/** Answers every verb from whatever the catalog is at that moment. */
export function createHandlers(identity: Identity, catalog: () => Catalog, { tasks, gate, sight }: Desks): Handlers {
  const callTool = createCallTool(gate);
  const welcome = createWelcome(identity, tasks !== undefined);
  const promises = promisesOf(identity.capabilities, catalog);
  const desk = (): TaskDesk | undefined => (promises.offers('tasks') ? tasks : undefined);
  const offering = (family: Family, { principal }: Turn): Catalog => {
    if (!promises.offers(family)) throw notOffered(family);
    return sight(principal);
  };
  const watching = (turn: Turn): Catalog => {
    if (!promises.watches) throw notOffered('subscriptions to resources');
    return offering('resources', turn);
  };
  return {
    hello: () => welcome(catalog()),
    ping: () => ({}),
    ready: () => ({}),
    'tools.list': ({ cursor }, turn) => offering('tools', turn).tools(cursor),
    'tools.call': (ask, turn) => callTool(offering('tools', turn), ask, turn),
    'resources.list': ({ cursor }, turn) => offering('resources', turn).resources(cursor),
    'resources.templates': ({ cursor }, turn) => offering('resources', turn).templates(cursor),
    'resources.read': (ask, turn) => readResource(offering('resources', turn), ask, turn),
    'resources.watch': (ask, turn) => watchResource(watching(turn), ask),
    'resources.unwatch': (_, turn) => {
      watching(turn);
      return {};
    },
    'prompts.list': ({ cursor }, turn) => offering('prompts', turn).prompts(cursor),
    'prompts.get': (ask, turn) => getPrompt(offering('prompts', turn), ask, turn),
    complete: (ask, turn) => complete(offering('completions', turn), ask, turn),
    'log.level': () => {
      if (!promises.logs) throw notOffered('logging');
      return {};
    },
    ...createTaskHandlers(desk),
    listen: (ask, turn) => answerListen(sight(turn.principal), ask, { desk: desk(), turn, promises }),
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
