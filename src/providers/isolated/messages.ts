import type { ToolBounds } from '../../catalog/provider.ts';
import type { Freshness, Implementation, Prompt, Resource, ResourceTemplate, Tool } from '../../model/items.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { LogLevel, Peer, Principal } from '../../model/peer.ts';
import type { Trouble } from './trouble.ts';

// What passes between the server and a cell, one JSON object a line.

/** Names an item: the namespaces that lead to it, its kind, and its name or URI. */
export interface ItemRef {
  readonly path: readonly string[];
  readonly kind: 'tool' | 'resource' | 'template' | 'prompt';
  readonly key: string;
}

/** What is to be done with an item. */
export interface Job extends ItemRef {
  /** Suggest values for this argument, in place of what the item is for. */
  readonly completes?: string;
  /** The input of a tool or prompt, the URI and variables of a resource, or the value to complete. */
  readonly given: Json;
  /** The variables of a URI, or what is known of other arguments. */
  readonly known?: Readonly<Record<string, string>>;
}

/** What a call knows that can travel. */
export interface CallFacts {
  readonly id: string;
  readonly dialect: string;
  readonly peer: Peer;
  readonly principal: Principal | undefined;
  readonly session: string | undefined;
  readonly meta: JsonObject;
}

export interface CellStart {
  readonly kind: 'start';
  readonly file: string;
  readonly owner: number;
  readonly memoryBytes: number;
  readonly cpuMs: number;
  readonly outputBytes: number;
  readonly noticesPerSecond: number;
}

export type ToCell =
  | CellStart
  | { readonly kind: 'call'; readonly id: number; readonly job: Job; readonly facts: CallFacts }
  | { readonly kind: 'cancel'; readonly id: number; readonly trouble: Trouble }
  | {
      readonly kind: 'answer';
      readonly id: number;
      readonly ask: number;
      readonly value?: Json | undefined;
      readonly trouble?: Trouble;
    }
  | { readonly kind: 'perform'; readonly id: number; readonly ask: number };

export type QuestionName = 'elicit' | 'elicitUrl' | 'sample' | 'roots';

/** What a handler says or asks before it answers. */
export type Aside =
  | { readonly kind: 'progress'; readonly done: number; readonly total?: number; readonly message?: string }
  | { readonly kind: 'log'; readonly level: LogLevel; readonly data: Json; readonly logger?: string }
  | { readonly kind: 'release' }
  | { readonly kind: 'ask'; readonly ask: number; readonly question: QuestionName; readonly request: JsonObject }
  | { readonly kind: 'once'; readonly ask: number; readonly key: string }
  | { readonly kind: 'performed'; readonly ask: number; readonly value?: Json | undefined; readonly trouble?: Trouble };

export type FromCell =
  | { readonly kind: 'ready'; readonly described: Described }
  | { readonly kind: 'unready'; readonly trouble: Trouble }
  | (Aside & { readonly id: number })
  | { readonly kind: 'done'; readonly id: number; readonly value?: Json | undefined; readonly trouble?: Trouble }
  /** An error that nobody caught; with an id when it comes from a call that is under way. */
  | { readonly kind: 'stray'; readonly id?: number | undefined; readonly trouble: Trouble };

interface DescribedItem {
  readonly scopes?: readonly string[];
  readonly fresh?: Freshness;
  /** The arguments or variables values are suggested for. */
  readonly completes?: readonly string[];
}

export interface DescribedTool extends DescribedItem {
  readonly tool: Tool;
  readonly deadlineMs?: number;
  readonly bounds?: ToolBounds;
  readonly startsReleased?: boolean;
}

export interface DescribedOffer {
  readonly tools: readonly DescribedTool[];
  readonly resources: readonly (DescribedItem & { readonly resource: Resource })[];
  readonly templates: readonly (DescribedItem & { readonly template: ResourceTemplate })[];
  readonly prompts: readonly (DescribedItem & { readonly prompt: Prompt })[];
  readonly mounts: readonly DescribedMount[];
}

export interface DescribedMount {
  readonly namespace?: string;
  readonly name: string;
  readonly foreign: boolean;
  readonly offer: DescribedOffer;
}

/** What a module says of itself and its items. */
export interface Described {
  readonly name: string;
  readonly info?: Implementation;
  readonly instructions?: string;
  readonly cache?: Freshness;
  readonly offer: DescribedOffer;
}
