import type { ClientCapabilities } from './capabilities.ts';
import type { Implementation, Role, SamplingContent, Tool, ToolResult } from './items.ts';
import type { Json, JsonObject } from './json.ts';
import type { Task, TaskTrouble } from './tasks.ts';

/** Log levels, least urgent first. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What a client chose to be told about. */
export interface WatchFilter {
  tools?: boolean;
  prompts?: boolean;
  resources?: boolean;
  uris?: string[];
  /** The ids of tasks. */
  tasks?: string[];
}

export type ListName = 'tools' | 'prompts' | 'resources';

/** Names a request on the wire, so that a notice can point at it. */
export type WireId = string | number;

/**
 * What one side tells the other without being asked; a dialect says which of them it has words for.
 * `task` names the task a notice belongs to.
 */
export type Notice =
  | { kind: 'progress'; token: WireId; done: number; total?: number; message?: string; task?: string }
  | { kind: 'log'; level: LogLevel; data: Json; logger?: string; task?: string }
  | { kind: 'changed'; list: ListName }
  | { kind: 'updated'; uri: string }
  | { kind: 'listening'; filter: WatchFilter }
  | { kind: 'task'; view: TaskView }
  | { kind: 'elicited'; elicitation: string }
  | { kind: 'cancelled'; id: WireId; reason?: string; task?: string }
  | { kind: 'ready' }
  | { kind: 'rootsChanged' };

export type ElicitedValue = string | number | boolean | string[];

export interface SamplingMessage {
  role: Role;
  content: SamplingContent | SamplingContent[];
  _meta?: JsonObject;
}

export interface SampleRequest {
  messages: SamplingMessage[];
  maxTokens: number;
  systemPrompt?: string;
  temperature?: number;
  stopSequences?: string[];
  modelPreferences?: JsonObject;
  includeContext?: 'none' | 'thisServer' | 'allServers';
  tools?: Tool[];
  toolChoice?: { mode?: 'auto' | 'required' | 'none' };
  metadata?: JsonObject;
}

export interface Root {
  uri: string;
  name?: string;
  _meta?: JsonObject;
}

/** Everything a server may ask its peer in the middle of a call. */
export interface Questions {
  elicit: {
    ask: { message: string; schema: JsonObject };
    answer: { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, ElicitedValue> };
  };
  elicitUrl: {
    ask: { message: string; url: string; elicitation: string };
    answer: { action: 'accept' | 'decline' | 'cancel' };
  };
  sample: {
    ask: SampleRequest;
    answer: { role: Role; content: SamplingContent | SamplingContent[]; model: string; stopReason?: string };
  };
  roots: { ask: Record<string, never>; answer: { roots: Root[] } };
}
export type QuestionKind = keyof Questions;
export type QuestionAsk<K extends QuestionKind> = Questions[K]['ask'];
export type QuestionAnswer<K extends QuestionKind> = Questions[K]['answer'];
export type Question<K extends QuestionKind = QuestionKind> = { [Q in K]: { kind: Q; ask: QuestionAsk<Q> } }[K];

/** A task with what it asks, or what came of it; a failed one has either a result or a trouble. */
export interface TaskView extends Task {
  /** Open questions by key. */
  readonly questions?: Readonly<Record<string, Question>>;
  readonly result?: ToolResult;
  readonly trouble?: TaskTrouble;
}

/** Who is at the other end, as far as it told us. */
export interface Peer {
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
}

/** Who a request was made for, as access control established it. */
export interface Principal {
  readonly id: string;
  readonly scopes: readonly string[];
  /** When the token it came with ends, in milliseconds since the epoch; absent when it does not. */
  readonly expires?: number;
}
