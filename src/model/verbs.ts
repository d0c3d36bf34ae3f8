import type { ClientCapabilities, ServerCapabilities } from './capabilities.ts';
import type {
  Freshness,
  Implementation,
  Prompt,
  PromptMessage,
  Resource,
  ResourceContents,
  ResourceTemplate,
  Tool,
  ToolResult,
} from './items.ts';
import type { JsonObject } from './json.ts';
import type { LogLevel, TaskView, WatchFilter } from './peer.ts';
import type { Task, TaskTicket } from './tasks.ts';

type Nothing = Record<string, never>;
interface PageAsk {
  cursor?: string;
}
interface TaskAsk {
  id: string;
}
interface Page {
  next?: string;
  fresh?: Freshness;
}

export type CompletionRef = { type: 'prompt'; name: string } | { type: 'resource'; uri: string };

/** Everything a peer can ask of the server, in words no revision owns. */
export interface Verbs {
  hello: {
    ask: { client?: Implementation; capabilities: ClientCapabilities };
    answer: {
      server: Implementation;
      capabilities: ServerCapabilities;
      instructions?: string;
      /** The revisions that may be claimed per request. */
      revisions: readonly string[];
      fresh?: Freshness;
    };
  };
  ping: { ask: Nothing; answer: Nothing };
  /** The client's word that it is ready, from clients that want an answer to it. */
  ready: { ask: Nothing; answer: Nothing };
  'tools.list': { ask: PageAsk; answer: Page & { tools: readonly Tool[] } };
  'tools.call': {
    ask: {
      name: string;
      input: JsonObject;
      /** The client wants a ticket now and the result later. */
      task?: { ttlMs?: number };
    };
    answer: ToolResult | TaskTicket;
  };
  'resources.list': { ask: PageAsk; answer: Page & { resources: readonly Resource[] } };
  'resources.templates': { ask: PageAsk; answer: Page & { templates: readonly ResourceTemplate[] } };
  'resources.read': {
    ask: { uri: string };
    answer: { contents: readonly ResourceContents[]; fresh?: Freshness; _meta?: JsonObject };
  };
  'resources.watch': { ask: { uri: string }; answer: Nothing };
  'resources.unwatch': { ask: { uri: string }; answer: Nothing };
  'prompts.list': { ask: PageAsk; answer: Page & { prompts: readonly Prompt[] } };
  'prompts.get': {
    ask: { name: string; input: Record<string, string> };
    answer: { description?: string; messages: readonly PromptMessage[]; _meta?: JsonObject };
  };
  complete: {
    ask: { ref: CompletionRef; argument: { name: string; value: string }; known?: Record<string, string> };
    answer: { values: readonly string[]; total?: number; more?: boolean };
  };
  'tasks.get': { ask: TaskAsk; answer: TaskView };
  /** Waits until the task is over. */
  'tasks.result': { ask: TaskAsk; answer: { id: string; result: ToolResult } };
  'tasks.list': { ask: PageAsk; answer: Page & { tasks: readonly Task[] } };
  /** `settled`: what a task that is over already is answered with. */
  'tasks.cancel': { ask: TaskAsk & { settled: 'refuse' | 'accept' }; answer: Task };
  'tasks.update': { ask: TaskAsk & { answers: JsonObject }; answer: Nothing };
  'log.level': { ask: { level: LogLevel }; answer: Nothing };
  /** The answer is what will be honoured; on the wire it is the end of the subscription. */
  listen: { ask: { filter: WatchFilter }; answer: { filter: WatchFilter } };
}

export type Verb = keyof Verbs;
export type Ask<V extends Verb> = Verbs[V]['ask'];
export type Answer<V extends Verb> = Verbs[V]['answer'];
/** A verb with its ask. */
export type Operation<V extends Verb = Verb> = { [K in V]: { readonly verb: K; readonly ask: Ask<K> } }[V];
