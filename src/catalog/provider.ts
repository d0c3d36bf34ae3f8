import type { Call } from '../model/call.ts';
import type { IsolateOptions } from '../model/isolate.ts';
import type {
  Freshness,
  Prompt,
  Resource,
  ResourceContents,
  ResourceTemplate,
  Tool,
  ToolResult,
} from '../model/items.ts';
import type { Eventually } from '../model/json.ts';
import type { Limits } from '../model/limits.ts';
import type { Log } from '../model/log.ts';
import type { RateLimit } from '../model/rate.ts';
import type { Answer } from '../model/verbs.ts';
import type { Check } from '../schema/standard.ts';

export type { Check, Checked } from '../schema/standard.ts';

export type Completer = (
  value: string,
  known: Readonly<Record<string, string>>,
  call: Call,
) => Eventually<readonly string[]>;

/** How often a tool may be called, and by how many at once. */
export interface ToolBounds {
  /** For each caller: a principal, else a connection, else all who have neither together. */
  readonly rate?: RateLimit;
  /** For all callers together, in one process. */
  readonly concurrency?: number;
}

export interface ToolEntry {
  readonly tool: Tool;
  /** What it takes to see and use it. */
  readonly scopes?: readonly string[];
  /** It is shown to those who lack a scope, and its use is refused. */
  readonly stepUp?: boolean;
  /** What its use takes, in the view of somebody who does not have all of it. */
  readonly lacks?: readonly string[];
  /** Absent when the tool takes whatever it is given. */
  readonly checkInput?: Check;
  readonly checkOutput?: Check;
  readonly deadlineMs?: number;
  /** Absent when the tool may be called as often as anybody likes. */
  readonly bounds?: ToolBounds;
  /** The handler says when it becomes a task, where the server may choose. */
  readonly startsReleased?: boolean;
  /** It is to run in a process of its own; whoever knows the file it comes from sees to that. */
  readonly isolate?: IsolateOptions;
  run(input: unknown, call: Call): Eventually<ToolResult>;
}

export interface ResourceEntry {
  readonly resource: Resource;
  readonly scopes?: readonly string[];
  readonly stepUp?: boolean;
  readonly lacks?: readonly string[];
  readonly fresh?: Freshness;
  read(uri: string, call: Call): Eventually<readonly ResourceContents[]>;
}

export interface TemplateEntry {
  readonly template: ResourceTemplate;
  readonly scopes?: readonly string[];
  readonly stepUp?: boolean;
  readonly lacks?: readonly string[];
  readonly fresh?: Freshness;
  readonly variables: readonly string[];
  /** The variables of a URI this template makes, or `undefined` when it makes no such URI. */
  match(uri: string): Readonly<Record<string, string>> | undefined;
  readonly complete?: Readonly<Record<string, Completer>>;
  read(uri: string, variables: Readonly<Record<string, string>>, call: Call): Eventually<readonly ResourceContents[]>;
}

export interface PromptEntry {
  readonly prompt: Prompt;
  readonly scopes?: readonly string[];
  readonly stepUp?: boolean;
  readonly lacks?: readonly string[];
  readonly complete?: Readonly<Record<string, Completer>>;
  get(input: Readonly<Record<string, string>>, call: Call): Eventually<Answer<'prompts.get'>>;
}

/** Everything a source has to offer, at one moment. */
export interface Offer {
  readonly tools?: readonly ToolEntry[];
  readonly resources?: readonly ResourceEntry[];
  readonly templates?: readonly TemplateEntry[];
  readonly prompts?: readonly PromptEntry[];
  /** Sources mounted inside this one. */
  readonly mounts?: readonly Mount[];
}

/** What a source says happened to its items. */
export type Change = { kind: 'tools' | 'prompts' | 'resources' } | { kind: 'updated'; uri: string };

/** What a source is told about the server it is part of. */
export interface Surroundings {
  readonly log: Log;
  readonly limits: Limits;
}

/** A source of items: a built-in pack, a user's server, or a server upstream. It never learns its namespace. */
export interface Provider {
  readonly name: string;
  /** Its items were written by others: one that breaks a rule or is there already is left out, and the rest is served. */
  readonly foreign?: boolean;
  load(surroundings?: Surroundings): Eventually<Offer>;
  /** Calls back on every change until the returned function is called. */
  watch?(listener: (change: Change) => void): () => void;
}

export interface Mount {
  readonly provider: Provider;
  readonly namespace?: string;
}
