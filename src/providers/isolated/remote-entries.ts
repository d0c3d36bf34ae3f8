import { contentsOf } from '../../catalog/contents.ts';
import { isPromise } from '../../catalog/eventually.ts';
import { messagesOf } from '../../catalog/messages.ts';
import type { Completer, Mount, Offer, ToolEntry } from '../../catalog/provider.ts';
import { createTemplate } from '../../catalog/template.ts';
import { toolMaker } from '../../catalog/tool-entry.ts';
import type { Call } from '../../model/call.ts';
import { Fault } from '../../model/fault.ts';
import type { Tool } from '../../model/items.ts';
import type { Json } from '../../model/json.ts';
import type { DescribedMount, DescribedOffer, DescribedTool, ItemRef, Job } from './messages.ts';

// A cell is not believed: what comes from it is held against the same rules as what a handler returns.

/** Does a job in some process. */
export type Run = (job: Job, call: Call) => Promise<Json | undefined>;

/** The items of a module, their handlers elsewhere. */
export function remoteOffer(offer: DescribedOffer, run: Run, path: readonly string[] = []): Offer {
  const ref = (kind: ItemRef['kind'], key: string): ItemRef => ({ path, kind, key });
  return {
    tools: offer.tools.map((described) => remoteTool(described, { run, path })),
    resources: offer.resources.map(({ resource, ...rest }) => ({
      ...rest,
      resource,
      read: async (uri: string, call: Call) =>
        contentsOf(await run({ ...ref('resource', resource.uri), given: uri }, call), uri, resource.mimeType),
    })),
    templates: offer.templates.map(({ template, completes, ...rest }) => {
      const { variables, match } = createTemplate(template.uriTemplate);
      const item = ref('template', template.uriTemplate);
      return {
        ...rest,
        ...completersOf(item, completes, run),
        template,
        variables,
        match,
        read: async (uri: string, known: Readonly<Record<string, string>>, call: Call) =>
          contentsOf(await run({ ...item, given: uri, known }, call), uri, template.mimeType),
      };
    }),
    prompts: offer.prompts.map(({ prompt, completes, ...rest }) => {
      const item = ref('prompt', prompt.name);
      return {
        ...rest,
        ...completersOf(item, completes, run),
        prompt,
        get: async (input: Readonly<Record<string, string>>, call: Call) =>
          messagesOf(await run({ ...item, given: { ...input } }, call)),
      };
    }),
    mounts: offer.mounts.map((mount) => remoteMount(mount, run, path)),
  };
}

function remoteMount({ namespace, name, foreign, offer }: DescribedMount, run: Run, path: readonly string[]): Mount {
  const inner = namespace === undefined ? path : [...path, namespace];
  const loaded = remoteOffer(offer, run, inner);
  return { provider: { name, foreign, load: () => loaded }, ...(namespace === undefined ? {} : { namespace }) };
}

/** A tool whose handler is elsewhere; its author's own checks run there too, since they are code like any other. */
export function remoteTool(
  { tool, ...rest }: DescribedTool,
  { run, path }: { readonly run: Run; readonly path: readonly string[] },
): ToolEntry {
  const { name } = tool;
  const handler = (input: Json, call: Call) => run({ path, kind: 'tool', key: name, given: input }, call);
  const { checkInput, checkOutput, run: go } = entryOf(tool, handler);
  return {
    ...rest,
    tool,
    ...(checkInput === undefined ? {} : { checkInput }),
    ...(checkOutput === undefined ? {} : { checkOutput }),
    run: go,
  };
}

type Handler = (input: Json, call: Call) => Promise<Json | undefined>;

function entryOf({ name, inputSchema, outputSchema }: Tool, handler: Handler): ToolEntry {
  const output = outputSchema === undefined ? {} : { output: outputSchema };
  // What a schema library says of its schemas may be more than the compiler knows; the library itself checks in the cell.
  const checking = attempt(() => toolMaker(name)({ input: inputSchema, ...output, handler: handler as never }));
  if (checking !== undefined && !isPromise(checking)) return checking;
  return toolMaker(name)({ handler: handler as never }) as ToolEntry;
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function completersOf(
  item: ItemRef,
  completes: readonly string[] | undefined,
  run: Run,
): { complete?: Readonly<Record<string, Completer>> } {
  if (completes === undefined) return {};
  const complete = (argument: string): Completer => {
    return async (value, known, call) => listOf(await run({ ...item, completes: argument, given: value, known }, call));
  };
  return { complete: Object.fromEntries(completes.map((argument) => [argument, complete(argument)])) };
}

function listOf(value: Json | undefined): readonly string[] {
  if (Array.isArray(value)) return value as string[];
  throw new Fault('E_BAD_RESULT', 'A completion gave something else than a list of strings');
}
