import type { Revision } from '../../dialects/mcp/revision.ts';
import { REVISIONS } from '../../dialects/mcp/revisions.ts';
import type { ClientCapabilities, ServerCapabilities } from '../../model/capabilities.ts';
import { Fault } from '../../model/fault.ts';
import type { Implementation, Prompt, Resource, ResourceTemplate, Tool, ToolResult } from '../../model/items.ts';
import type { JsonObject } from '../../model/json.ts';
import { type Log, silent } from '../../model/log.ts';
import type { LogLevel, Notice, WatchFilter } from '../../model/peer.ts';
import { isTicket } from '../../model/tasks.ts';
import type { Answer, Ask, CompletionRef, Operation, Verb } from '../../model/verbs.ts';
import { type Answerers, capabilitiesFor } from './answering.ts';
import { Connection, type RequestOptions } from './connection.ts';
import type { Link } from './link.ts';
import { Listening, type Subscription } from './listening.ts';
import { Mirroring } from './mirroring.ts';
import { type Era, type Greeting, open } from './opening.ts';
import { PeerError } from './peer-error.ts';
import { createSpeaker } from './speaker.ts';

const TIMEOUT_MS = 60_000;
const PROBE_MS = 2000;
const PAGES = 1000;
const UNNAMED: Implementation = { name: 'parley', version: '0' };

export interface ClientOptions {
  /** Who the server is told is asking. */
  readonly client?: Implementation | undefined;
  /** Added to what follows from `onQuestion`. */
  readonly capabilities?: ClientCapabilities | undefined;
  /** Speak this protocol revision and no other. */
  readonly revision?: string | undefined;
  /** `auto` asks in the modern way first and falls back to the handshake. */
  readonly era?: Era | undefined;
  /** Who answers what the server asks; what is absent the server is told it cannot ask. */
  readonly onQuestion?: Answerers | undefined;
  /** Hears log messages, changed lists and updated resources. */
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  /** Longest wait for an answer, where a request names none. */
  readonly timeoutMs?: number | undefined;
  /** How long to wait for a sign of the modern era before the handshake is tried. */
  readonly probeMs?: number | undefined;
  /** The revisions spoken, newest first. */
  readonly revisions?: readonly Revision[] | undefined;
  /** A new link to the same server, for one that ends when it is asked what it does not know. */
  readonly reopen?: (() => Link) | undefined;
  /** A link of an older transport to the same server, for one that does not take messages in the newer way. */
  readonly older?: (() => Link) | undefined;
  /** Hears what the client itself has to say, such as why it left out a tool. */
  readonly log?: Log | undefined;
}

/** What a server said of itself. */
export interface ServerGreeting {
  readonly info: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
  /** The protocol revision spoken with it. */
  readonly revision: string;
}

/** The arguments a completion is asked for, and those already chosen. */
export interface CompletionRequest {
  readonly ref: CompletionRef;
  readonly argument: { name: string; value: string };
  readonly known?: Record<string, string>;
}

/** A connection to one server. Every method works the same in every protocol revision that has it. */
export interface Client {
  readonly server: ServerGreeting;
  /** Lists follow every page. */
  listTools(options?: RequestOptions): Promise<Tool[]>;
  listResources(options?: RequestOptions): Promise<Resource[]>;
  listTemplates(options?: RequestOptions): Promise<ResourceTemplate[]>;
  listPrompts(options?: RequestOptions): Promise<Prompt[]>;
  /** Calls a tool; a tool that failed resolves with `failed`, an error of the server rejects. */
  call(name: string, input?: JsonObject, options?: RequestOptions): Promise<ToolResult>;
  read(uri: string, options?: RequestOptions): Promise<Answer<'resources.read'>>;
  prompt(name: string, input?: Record<string, string>, options?: RequestOptions): Promise<Answer<'prompts.get'>>;
  complete(request: CompletionRequest, options?: RequestOptions): Promise<Answer<'complete'>>;
  /** Asks for log messages of this level and above. */
  setLevel(level: LogLevel): Promise<void>;
  /** Asks to be told of changes through `onNotice`. */
  listen(filter: WatchFilter): Promise<Subscription>;
  /** Rejects in revisions that have no ping. */
  ping(options?: RequestOptions): Promise<void>;
  /** Tells a server that wants to know that the roots are others now. */
  rootsChanged(): void;
  /** Ends the connection; requests under way reject. */
  close(): Promise<void>;
}

/** Opens a client on a link: finds out which revision the server speaks and greets it. */
export async function connect(link: Link, options: ClientOptions = {}): Promise<Client> {
  const { client = UNNAMED, onQuestion = {}, timeoutMs = TIMEOUT_MS, revisions = REVISIONS } = options;
  const self = { client, capabilities: { ...capabilitiesFor(onQuestion), ...options.capabilities } };
  const [newest] = revisions;
  if (newest === undefined) throw new TypeError('Cannot connect: no protocol revision is given');
  const listening = new Listening();
  const connection = new Connection(link, {
    speaker: createSpeaker(newest, self),
    timeoutMs,
    answerers: onQuestion,
    onNotice(notice, subscription) {
      if (listening.admits(connection, notice, subscription)) options.onNotice?.(notice);
    },
  });
  try {
    const greeting = await open(connection, {
      self,
      revisions,
      pin: options.revision,
      era: options.era ?? 'auto',
      timeoutMs,
      probeMs: options.probeMs ?? PROBE_MS,
      ...(options.reopen === undefined ? {} : { reopen: options.reopen }),
      ...(options.older === undefined ? {} : { older: options.older }),
    });
    const mirroring = new Mirroring(options.log ?? silent);
    return new ConnectedClient(connection, { greeting, listening, timeoutMs, mirroring });
  } catch (error) {
    await connection.close();
    throw error;
  }
}

interface Parts {
  readonly greeting: Greeting;
  readonly listening: Listening;
  readonly timeoutMs: number;
  readonly mirroring: Mirroring;
}

type Paged = 'tools.list' | 'resources.list' | 'resources.templates' | 'prompts.list';

class ConnectedClient implements Client {
  readonly server: ServerGreeting;
  readonly #connection: Connection;
  readonly #parts: Parts;

  constructor(connection: Connection, parts: Parts) {
    const { server: info, capabilities, instructions } = parts.greeting;
    this.#connection = connection;
    this.#parts = parts;
    this.server = Object.freeze({ info, capabilities, instructions, revision: connection.speaker.revision.id });
  }

  async listTools(options?: RequestOptions): Promise<Tool[]> {
    const tools = await this.#pages('tools.list', ({ tools }) => tools, options);
    return this.#connection.mirrors ? this.#parts.mirroring.keep(tools) : tools;
  }

  listResources(options?: RequestOptions): Promise<Resource[]> {
    return this.#pages('resources.list', ({ resources }) => resources, options);
  }

  listTemplates(options?: RequestOptions): Promise<ResourceTemplate[]> {
    return this.#pages('resources.templates', ({ templates }) => templates, options);
  }

  listPrompts(options?: RequestOptions): Promise<Prompt[]> {
    return this.#pages('prompts.list', ({ prompts }) => prompts, options);
  }

  async call(name: string, input: JsonObject = {}, options?: RequestOptions): Promise<ToolResult> {
    const answer = await this.#callMirrored(name, input, options);
    if (!isTicket(answer)) return answer;
    throw new Fault('E_BAD_MESSAGE', `The server made a task of the call to "${name}", which nobody asked for`);
  }

  /** A server that misses a header has changed its tool since it was listed, or it was never listed. */
  async #callMirrored(name: string, input: JsonObject, options?: RequestOptions): Promise<Answer<'tools.call'>> {
    const { mirrors, speaker } = this.#connection;
    const ask = { verb: 'tools.call', ask: { name, input } } as const;
    const send = (): Promise<Answer<'tools.call'>> =>
      this.#connection.request(ask, { ...options, mirrored: this.#parts.mirroring.beside(name, input) });
    if (!mirrors) return this.#connection.request(ask, options);
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof PeerError) || error.code !== speaker.revision.codes.headerMismatch) throw error;
      await this.listTools({ signal: options?.signal });
      return send();
    }
  }

  read(uri: string, options?: RequestOptions): Promise<Answer<'resources.read'>> {
    return this.#ask('resources.read', { uri }, options);
  }

  prompt(name: string, input: Record<string, string> = {}, options?: RequestOptions): Promise<Answer<'prompts.get'>> {
    return this.#ask('prompts.get', { name, input }, options);
  }

  complete(request: CompletionRequest, options?: RequestOptions): Promise<Answer<'complete'>> {
    return this.#ask('complete', request, options);
  }

  async setLevel(level: LogLevel): Promise<void> {
    this.#connection.level = level;
    if (this.#connection.speaker.has('log.level')) await this.#ask('log.level', { level });
  }

  listen(filter: WatchFilter): Promise<Subscription> {
    const { capabilities } = this.server;
    return this.#parts.listening.listen(this.#connection, filter, { capabilities, timeoutMs: this.#parts.timeoutMs });
  }

  async ping(options?: RequestOptions): Promise<void> {
    await this.#ask('ping', {}, options);
  }

  rootsChanged(): void {
    this.#connection.tell({ kind: 'rootsChanged' });
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async #ask<V extends Verb>(verb: V, ask: Ask<V>, options?: RequestOptions): Promise<Answer<V>> {
    return this.#connection.request({ verb, ask } as Operation<V>, options);
  }

  async #pages<V extends Paged, T>(
    verb: V,
    items: (page: Answer<V>) => readonly T[],
    options?: RequestOptions,
  ): Promise<T[]> {
    const all: T[] = [];
    const seen = new Set<string>();
    let cursor: string | undefined;
    do {
      const page = await this.#ask(verb, (cursor === undefined ? {} : { cursor }) as Ask<V>, options);
      for (const item of items(page)) all.push(item);
      cursor = page.next;
      if (cursor !== undefined && (seen.has(cursor) || seen.size >= PAGES)) {
        throw new Fault('E_BAD_MESSAGE', `The server's list does not end: ${seen.size} pages and a cursor for more`);
      }
      if (cursor !== undefined) seen.add(cursor);
    } while (cursor !== undefined);
    return all;
  }
}
