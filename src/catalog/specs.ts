import type { Call } from '../model/call.ts';
import type { IsolateOptions } from '../model/isolate.ts';
import type { Annotations, Content, Freshness, Icon, PromptMessage, Role, ToolAnnotations } from '../model/items.ts';
import type { Eventually, JsonObject } from '../model/json.ts';
import type { RateLimit } from '../model/rate.ts';
import type { TaskSupport } from '../model/tasks.ts';
import type { Infer, InferInput } from '../schema/infer.ts';
import type { SchemaSource } from '../schema/standard.ts';
import type { Completer } from './provider.ts';
import type { TemplateVariables, VariableName } from './variables.ts';

/** What every item may say about itself. */
export interface ItemSpec {
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  /** Travels as `_meta`. */
  readonly meta?: JsonObject;
  /** Shows and gives it only to those who have all of these scopes; to others it does not exist. */
  readonly scopes?: readonly string[];
  /** Shows it to everybody all the same, and refuses its use with the scopes it takes, for clients that can get more. */
  readonly stepUp?: boolean;
}

/** What a tool says about itself. */
export interface ToolSpec<
  I extends SchemaSource | undefined = undefined,
  O extends SchemaSource | undefined = undefined,
> extends ItemSpec {
  /** What the tool takes: a JSON Schema or a Standard Schema of an object. Without one it takes any object unchecked. */
  readonly input?: I;
  /** What the tool gives: with it, every plain value the handler returns is the structured result and is checked. */
  readonly output?: O;
  readonly annotations?: ToolAnnotations;
  /** Longest time a call may run, in place of the server's limit. */
  readonly deadlineMs?: number;
  /** How often one caller may call it: a principal, else a connection, else all who have neither together. */
  readonly rate?: RateLimit;
  /** How many calls of all callers may run at once in one process; more are refused, not queued. */
  readonly concurrency?: number;
  /**
   * Lets clients that know tasks have a ticket now and the result later; `required` refuses those that could but do not.
   * The task starts when the tool is called or, with `starts: 'released'`, when the handler calls `call.release()`:
   * until then it asks the client before the ticket is given.
   */
  readonly task?: TaskSupport | { readonly support: TaskSupport; readonly starts: 'called' | 'released' };
  /**
   * Runs the handler in a process of its own: a crash, an endless loop or too much memory costs this call alone. Works
   * in a file that is served as a module, or given to `isolated`; that file is loaded once more in each process.
   */
  readonly isolate?: boolean | IsolateOptions;
}

/** What a tool handler is given. */
export type ToolInput<I extends SchemaSource | undefined> = [I] extends [SchemaSource] ? Infer<I> : JsonObject;

/** A tool's result in full: what people see, what programs read, and whether it failed. */
export interface ToolReply<T = unknown> {
  readonly content: readonly Content[];
  readonly structured?: T;
  readonly failed?: boolean;
  readonly _meta?: JsonObject;
}

/** A tool's result in full, in the words of the wire. */
export interface WireToolReply<T = unknown> {
  readonly content: readonly Content[];
  readonly structuredContent?: T;
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
}

/** What a tool handler may return: with an output its value, else text, content or any value JSON can carry; or a full result. */
export type ToolReturn<O extends SchemaSource | undefined = undefined> = [O] extends [SchemaSource]
  ? InferInput<O> | ToolReply<InferInput<O>> | WireToolReply<InferInput<O>>
  : // biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing is typed so
    string | number | boolean | object | null | undefined | void;

export type ToolHandler<I extends SchemaSource | undefined, O extends SchemaSource | undefined> = (
  input: ToolInput<I>,
  call: Call,
) => Eventually<ToolReturn<O>>;

/** What a resource or a resource template says about itself. */
export interface ContentsSpec extends ItemSpec {
  readonly mimeType?: string;
  readonly annotations?: Annotations;
  /** How long what is read may be kept. */
  readonly cache?: Freshness;
}

export interface ResourceSpec extends ContentsSpec {
  /** In bytes. */
  readonly size?: number;
}

export interface TemplateSpec<T extends string = string> extends ContentsSpec {
  /** Suggests values for variables. */
  readonly complete?: { readonly [N in VariableName<T>]?: Completer };
}

/** Text, bytes, or either with its own URI and media type. */
export type ContentsItem =
  | string
  | Uint8Array
  | { readonly text: string; readonly uri?: string; readonly mimeType?: string; readonly _meta?: JsonObject }
  | {
      readonly blob: string | Uint8Array;
      readonly uri?: string;
      readonly mimeType?: string;
      readonly _meta?: JsonObject;
    };

/** What a resource handler may return. */
export type ContentsReturn = ContentsItem | readonly ContentsItem[] | { readonly contents: readonly ContentsItem[] };

export type ResourceHandler = (uri: string, call: Call) => Eventually<ContentsReturn>;
export type TemplateHandler<T extends string = string> = (
  uri: string,
  variables: TemplateVariables<T>,
  call: Call,
) => Eventually<ContentsReturn>;

export interface PromptArgumentSpec {
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
  /** Suggests values. */
  readonly complete?: Completer;
}

export type PromptArguments = Readonly<Record<string, PromptArgumentSpec>>;

export interface PromptSpec<A extends PromptArguments = PromptArguments> extends ItemSpec {
  readonly arguments?: A;
}

/** What a prompt handler is given: a required argument is always there. */
export type PromptInput<A extends PromptArguments> = {
  readonly [N in keyof A]: A[N] extends { readonly required: true } ? string : string | undefined;
};

/** A text said by the user, or a message. */
export type MessageItem = string | PromptMessage | { readonly role: Role; readonly content: string };

/** What a prompt handler may return. */
export type PromptReturn =
  | MessageItem
  | readonly MessageItem[]
  | { readonly messages: readonly MessageItem[]; readonly description?: string; readonly _meta?: JsonObject };

export type PromptHandler<A extends PromptArguments> = (input: PromptInput<A>, call: Call) => Eventually<PromptReturn>;
