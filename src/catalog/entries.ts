import type { Call } from '../model/call.ts';
import type { Prompt, PromptArgument, Resource, ResourceTemplate } from '../model/items.ts';
import { contentsOf } from './contents.ts';
import { after } from './eventually.ts';
import { messagesOf } from './messages.ts';
import type { Completer, PromptEntry, ResourceEntry, TemplateEntry } from './provider.ts';
import type { ItemSpec, PromptSpec, ResourceSpec, TemplateSpec } from './specs.ts';
import type { UriTemplate } from './template.ts';

type Known = Readonly<Record<string, string>>;

/** A copy without the members that are `undefined`. */
export function present<T extends object>(fields: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** Throws `TypeError` unless a handler can be called. */
export function checkHandler(kind: string, name: string, handler: unknown): void {
  if (typeof handler !== 'function') throw new TypeError(`Cannot add ${kind} "${name}": its handler is not a function`);
}

/** What an item needs, if it needs anything. Throws `TypeError` for what is not a list of scopes. */
export function needing(
  name: string,
  { scopes, stepUp }: Pick<ItemSpec, 'scopes' | 'stepUp'>,
): { scopes?: readonly string[]; stepUp?: boolean } {
  if (scopes === undefined) return {};
  if (Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string' && scope !== ''))
    return { scopes, ...(stepUp === undefined ? {} : { stepUp }) };
  throw new TypeError(`Cannot add "${name}": scopes must be a list of words`);
}

function described({ title, description, icons, meta }: ItemSpec) {
  return { title, description, icons: icons === undefined ? undefined : [...icons], _meta: meta };
}

export interface ResourceParts extends ResourceSpec {
  readonly handler: (uri: string, call: Call) => unknown;
}

/** The entry of a resource as its author described it. */
export function resourceEntry(name: string, uri: string, spec: ResourceParts): ResourceEntry {
  checkHandler('resource', name, spec.handler);
  const { mimeType, size, annotations, cache, handler } = spec;
  return {
    resource: present<Resource>({ uri, name, ...described(spec), mimeType, size, annotations }),
    ...needing(name, spec),
    ...(cache === undefined ? {} : { fresh: cache }),
    read: (read, call) => after(handler(read, call), (value) => contentsOf(value, read, mimeType)),
  };
}

export interface TemplateParts extends TemplateSpec {
  readonly handler: (uri: string, variables: Known, call: Call) => unknown;
}

/** The entry of a resource template as its author described it. */
export function templateEntry(name: string, template: UriTemplate, spec: TemplateParts): TemplateEntry {
  checkHandler('resource template', name, spec.handler);
  const { mimeType, annotations, cache, complete = {}, handler } = spec;
  const completers = present<Record<string, Completer>>(complete);
  for (const variable of Object.keys(completers)) {
    if (!template.variables.includes(variable)) {
      throw new TypeError(`Cannot complete "${variable}": "${template.text}" has no such variable`);
    }
  }
  return {
    template: present<ResourceTemplate>({
      uriTemplate: template.text,
      name,
      ...described(spec),
      mimeType,
      annotations,
    }),
    ...needing(name, spec),
    ...(cache === undefined ? {} : { fresh: cache }),
    ...(Object.keys(completers).length === 0 ? {} : { complete: completers }),
    variables: template.variables,
    match: template.match,
    read: (uri, variables, call) => after(handler(uri, variables, call), (value) => contentsOf(value, uri, mimeType)),
  };
}

export interface PromptParts extends PromptSpec {
  readonly handler: (input: Known, call: Call) => unknown;
}

/** The entry of a prompt as its author described it. */
export function promptEntry(name: string, spec: PromptParts): PromptEntry {
  checkHandler('prompt', name, spec.handler);
  const { arguments: declared = {}, handler } = spec;
  const list = Object.entries(declared).map(([argument, { title, description, required }]) =>
    present<PromptArgument>({ name: argument, title, description, required }),
  );
  const completers = Object.entries(declared).flatMap(([argument, { complete }]) =>
    complete === undefined ? [] : [[argument, complete] as const],
  );
  return {
    prompt: present<Prompt>({ name, ...described(spec), arguments: list.length === 0 ? undefined : list }),
    ...needing(name, spec),
    ...(completers.length === 0 ? {} : { complete: Object.fromEntries(completers) }),
    get: (input, call) => after(handler(input, call), messagesOf),
  };
}
