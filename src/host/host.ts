import { randomBytes, randomUUID } from 'node:crypto';
import type { Catalog } from '../catalog/catalog.ts';
import type { AccessRule } from '../catalog/needs.ts';
import type { Change, Mount } from '../catalog/provider.ts';
import { visibleText } from '../catalog/visible.ts';
import { createDispatch, type Policy } from '../core/dispatch.ts';
import { createHandlers } from '../core/handlers/handlers.ts';
import { type Audit, type AuditOptions, createAudit } from '../core/policies/audit.ts';
import { deadline } from '../core/policies/deadline.ts';
import { createToolGate } from '../core/policies/limit.ts';
import { mirror } from '../core/policies/mirror.ts';
import { trace } from '../core/policies/trace.ts';
import { mayTell, type Promises, promisesOf } from '../core/promises.ts';
import { createSight, type Sight } from '../core/sight.ts';
import type { Revision } from '../dialects/mcp/revision.ts';
import { REVISIONS } from '../dialects/mcp/revisions.ts';
import { createSpeakers, type SpeakerOptions } from '../dialects/opening.ts';
import type { ServerCapabilities } from '../model/capabilities.ts';
import type { Freshness, Implementation } from '../model/items.ts';
import { type Limits, limitsWith } from '../model/limits.ts';
import { type Log, silent } from '../model/log.ts';
import { checkRate, type RateLimit } from '../model/rate.ts';
import { Conversation } from '../sessions/conversation.ts';
import type { ConversationOptions } from '../sessions/conversation-options.ts';
import type { House } from '../sessions/house.ts';
import { createSealer, type Sealer } from '../sessions/seal.ts';
import { Hub } from '../sessions/watch.ts';
import { createMemoryStore } from '../store/memory.ts';
import type { Store } from '../store/store.ts';
import { LateTasks } from './late-tasks.ts';
import { createLiveCatalog, type LiveCatalog } from './live-catalog.ts';
import { sturdy } from './log.ts';

export interface HostOptions {
  readonly server: Implementation;
  readonly instructions?: string | undefined;
  readonly mounts: readonly Mount[];
  readonly limits?: Partial<Limits>;
  readonly log?: Log;
  /** Told who asked for what and what became of it; costs nothing where it is absent. */
  readonly audit?: Omit<AuditOptions, 'exists'> | undefined;
  /** Secrets that seal request state, newest first; without one, what was sealed ends with the process. */
  readonly secrets?: readonly string[];
  readonly revisions?: readonly Revision[];
  readonly policies?: readonly Policy[];
  /** Said in place of what the items imply. */
  readonly capabilities?: ServerCapabilities | undefined;
  readonly cache?: Freshness | undefined;
  /** How namespaced items are called: listed in the long form, found without their namespace. */
  readonly names?: { readonly long?: boolean; readonly bare?: boolean };
  /** Recognise the newline-delimited action protocol; on unless said otherwise. */
  readonly actions?: boolean;
  /** Serve JSON-RPC without a handshake, in the bare shape. */
  readonly bare?: boolean;
  /** Who answers what a new peer says and nobody understands: JSON-RPC unless said otherwise. */
  readonly voice?: 'action';
  /** Whom a peer over HTTP is taken for that has no session and names no revision. */
  readonly assumes?: SpeakerOptions['assumes'];
  readonly gate?: House['gate'];
  /** Which scopes items need, besides what they say themselves. */
  readonly rules?: readonly AccessRule[] | undefined;
  /** Who has no principal is the one who started the server, and sees everything. */
  readonly trusting?: boolean;
  /** Let tools that say so run as tasks; on unless said otherwise. */
  readonly tasks?: boolean;
  /** How often one peer may use the endpoint over HTTP; as often as it likes unless said otherwise. */
  readonly rateLimit?: RateLimit | undefined;
  /** Where tasks and the counters of tools are kept; without one they end with the process. */
  readonly store?: Store;
}

/** Everything a transport needs: it opens conversations, and closes when all is over. */
export interface Host {
  readonly log: Log;
  readonly limits: Limits;
  /** What all conversations share. */
  readonly house: House;
  readonly server: Implementation;
  readonly instructions: string | undefined;
  readonly rateLimit: RateLimit | undefined;
  /** Every revision spoken, newest first. */
  readonly revisions: readonly Pick<Revision, 'id' | 'opens'>[];
  /** What is on offer at the moment. */
  catalog(): Catalog;
  /** What of it somebody may see. */
  readonly sight: Sight;
  converse(options: Omit<ConversationOptions, 'name'>): Conversation;
  close(): void;
}

const LISTS = ['tools', 'prompts', 'resources'] as const;

/** The composition root: the one place where the parts meet. */
export async function createHost(options: HostOptions): Promise<Host> {
  const log = sturdy(options.log ?? silent);
  const limits = limitsWith(options.limits);
  const { rateLimit } = options;
  if (rateLimit !== undefined) checkRate(rateLimit, 'Cannot limit the rate');
  const hub = new Hub();
  let promises: Promises | undefined;
  const catalog = await createLiveCatalog(options.mounts, {
    pageSize: limits.pageSize,
    limits,
    log,
    ...(options.cache === undefined ? {} : { fresh: options.cache }),
    ...(options.rules === undefined ? {} : { rules: options.rules }),
    longNames: options.names?.long ?? false,
    bareNames: options.names?.bare ?? false,
    onChange: (change) => {
      // Before the first conversation there is nobody to tell.
      if (promises !== undefined && mayTell(promises, change)) hub.publish(noticeOf(change));
    },
  });
  promises = promisesOf(options.capabilities, catalog.current);
  const store = openLate(options.store, log);
  const sight = createSight(catalog.current, { trusting: options.trusting ?? false, ...limits });
  const shared = { hub, catalog, sight, limits, log, store };
  const tasks = createTasks(options, shared);
  const instructions = options.instructions === undefined ? undefined : visibleText(options.instructions);
  const house = createHouse({ ...options, instructions }, { ...shared, tasks });
  let count = 0;
  return {
    log,
    limits,
    house,
    server: options.server,
    instructions,
    rateLimit,
    revisions: options.revisions ?? REVISIONS,
    catalog: catalog.current,
    sight,
    converse: (conversation) => new Conversation(house, connection(conversation), `c${++count}`),
    close() {
      catalog.close();
      void Promise.resolve(tasks?.close()).finally(() => store.close());
    },
  };
}

/** What shares its way out is a connection, and a connection has a name of its own. */
function connection(options: Omit<ConversationOptions, 'name'>): Omit<ConversationOptions, 'name'> {
  if (options.shared !== true || options.session !== undefined) return options;
  let session: string | undefined;
  return {
    ...options,
    // Made for the first who asks: where nobody does, a start loads no cryptography.
    get session() {
      session ??= randomUUID();
      return session;
    },
  };
}

interface Shared {
  readonly hub: Hub;
  readonly catalog: LiveCatalog;
  readonly sight: Sight;
  readonly limits: Limits;
  readonly log: Log;
  readonly store: LateStore;
  readonly tasks?: LateTasks | undefined;
}

/** A store that is opened by the first who needs it, where none is given. */
interface LateStore {
  get(): Store;
  /** Closes what was opened here. */
  close(): void;
}

function openLate(given: Store | undefined, log: Log): LateStore {
  let own: Store | undefined;
  return {
    get() {
      if (given !== undefined) return given;
      own ??= createMemoryStore({ log });
      return own;
    },
    close: () => void own?.close(),
  };
}

function createTasks({ tasks = true, capabilities }: HostOptions, { store, ...shared }: Shared): LateTasks | undefined {
  if (!tasks || (capabilities !== undefined && capabilities['tasks'] === undefined)) return undefined;
  return new LateTasks({ store: store.get, hub: shared.hub, limits: shared.limits, log: shared.log });
}

function createHouse(options: HostOptions, { hub, catalog, sight, limits, log, store, tasks }: Shared): House {
  const {
    server,
    instructions,
    capabilities,
    cache,
    revisions = REVISIONS,
    actions = true,
    bare = false,
    voice,
    assumes,
  } = options;
  const manner = { ...(voice === undefined ? {} : { voice }), ...(assumes === undefined ? {} : { assumes }) };
  const speakers = createSpeakers({ revisions, server, actions, bare, ...manner });
  const identity = { server, instructions, capabilities, revisions: speakers.claimable, fresh: cache };
  const deadlines = deadline((operation) => {
    // Who asks for the result of a task waits as long as the task takes.
    if (operation.verb === 'tasks.result') return 0;
    if (operation.verb !== 'tools.call') return limits.callDeadlineMs;
    return catalog.current().findTool(operation.ask.name)?.deadlineMs ?? limits.callDeadlineMs;
  });
  const promises = promisesOf(capabilities, catalog.current);
  const gate = createToolGate({ counters: () => store.get().counters, log });
  return {
    speakers,
    dispatch: createDispatch(createHandlers(identity, catalog.current, { tasks, gate, sight }), [
      trace,
      deadlines,
      ...(options.policies ?? []),
      mirror(sight),
    ]),
    hub,
    tasks,
    sealer: sealerOf(options.secrets, limits.stateTtlMs),
    limits,
    log,
    audit: auditOf(options, catalog),
    gate: options.gate ?? 'answered',
    logs: promises.logs,
    lists: () => LISTS.filter((list) => promises.changes(list)),
  };
}

/** Without secrets of the operator's, the key is made when the first state is sealed or opened. */
function sealerOf(secrets: readonly string[] | undefined, ttlMs: number): Sealer {
  if (secrets !== undefined) return createSealer({ secrets, ttlMs });
  let own: Sealer | undefined;
  const sealer = (): Sealer => {
    own ??= createSealer({ secrets: [randomBytes(32).toString('hex')], ttlMs });
    return own;
  };
  return { seal: (...input) => sealer().seal(...input), open: (...input) => sealer().open(...input) };
}

function auditOf({ audit }: HostOptions, catalog: LiveCatalog): Audit | undefined {
  if (audit === undefined) return undefined;
  return createAudit({
    ...audit,
    exists({ verb, ask }) {
      const whole = catalog.current();
      if (verb === 'tools.call') return whole.findTool(ask.name) !== undefined;
      if (verb === 'resources.read') return whole.findResource(ask.uri) !== undefined;
      return verb === 'prompts.get' && whole.findPrompt(ask.name) !== undefined;
    },
  });
}

function noticeOf(change: Change) {
  return change.kind === 'updated' ? change : ({ kind: 'changed', list: change.kind } as const);
}
