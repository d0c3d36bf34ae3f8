import type { Offer, PromptEntry, Provider, ResourceEntry, TemplateEntry, ToolEntry } from '../../catalog/provider.ts';
import type { Server } from '../../catalog/server.ts';
import type { Described, DescribedOffer, DescribedTool, ItemRef } from './messages.ts';

// Says what a module offers, in words that can travel, and finds what is asked for.

export type AnyEntry = ToolEntry | ResourceEntry | TemplateEntry | PromptEntry;

/** Says what a module and its items are, without their handlers. */
export async function describeModule(provider: Provider): Promise<Described> {
  const { info, instructions, cache } = provider as Partial<Server>;
  return {
    name: provider.name,
    ...(info === undefined ? {} : { info }),
    ...(instructions === undefined ? {} : { instructions }),
    ...(cache === undefined ? {} : { cache }),
    offer: await describeOffer(await provider.load(), [provider]),
  };
}

async function describeOffer(offer: Offer, inside: readonly Provider[]): Promise<DescribedOffer> {
  const { tools = [], resources = [], templates = [], prompts = [], mounts = [] } = offer;
  return {
    tools: tools.map(describeTool),
    resources: resources.map((entry) => ({ resource: entry.resource, ...factsOf(entry) })),
    templates: templates.map((entry) => ({ template: entry.template, ...factsOf(entry), ...completing(entry) })),
    prompts: prompts.map((entry) => ({ prompt: entry.prompt, ...factsOf(entry), ...completing(entry) })),
    mounts: await Promise.all(
      mounts.map(async ({ provider, namespace }) => {
        if (inside.includes(provider)) {
          throw new TypeError(`Cannot mount "${namespace ?? provider.name}": it is mounted inside itself`);
        }
        const inner = await describeOffer(await provider.load(), [...inside, provider]);
        return {
          ...(namespace === undefined ? {} : { namespace }),
          name: provider.name,
          foreign: provider.foreign === true,
          offer: inner,
        };
      }),
    ),
  };
}

/** A tool as it is told to another process. */
export function describeTool(entry: ToolEntry): DescribedTool {
  return { tool: entry.tool, ...factsOf(entry) };
}

/** What an entry may hold besides its item and its functions. */
const FACTS = ['scopes', 'stepUp', 'fresh', 'deadlineMs', 'bounds', 'startsReleased'] as const;

function factsOf(entry: AnyEntry): Omit<DescribedTool, 'tool'> {
  const fields = entry as unknown as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    FACTS.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]] as const])),
  );
}

function completing({ complete }: TemplateEntry | PromptEntry): { completes?: readonly string[] } {
  return complete === undefined ? {} : { completes: Object.keys(complete) };
}

/** Finds the entry of an item; what was found is kept until the module changes its items. */
export function createFinder(provider: Provider): (ref: ItemRef) => Promise<AnyEntry | undefined> {
  let known = new Map<string, AnyEntry>();
  provider.watch?.(() => {
    known = new Map();
  });
  return async (ref) => {
    const name = JSON.stringify([ref.kind, ref.key, ...ref.path]);
    const entry = known.get(name) ?? (await search(await provider.load(), ref, ref.path));
    if (entry !== undefined) known.set(name, entry);
    return entry;
  };
}

async function search(offer: Offer, ref: ItemRef, path: readonly string[]): Promise<AnyEntry | undefined> {
  const own = path.length === 0 ? ownEntry(offer, ref) : undefined;
  if (own !== undefined) return own;
  for (const { provider, namespace } of offer.mounts ?? []) {
    if (namespace !== undefined && namespace !== path[0]) continue;
    // A mount without a namespace adds nothing to the path.
    const found = await search(await provider.load(), ref, namespace === undefined ? path : path.slice(1));
    if (found !== undefined) return found;
  }
  return undefined;
}

function ownEntry(offer: Offer, { kind, key }: ItemRef): AnyEntry | undefined {
  switch (kind) {
    case 'tool':
      return offer.tools?.find(({ tool }) => tool.name === key);
    case 'resource':
      return offer.resources?.find(({ resource }) => resource.uri === key);
    case 'template':
      return offer.templates?.find(({ template }) => template.uriTemplate === key);
    case 'prompt':
      return offer.prompts?.find(({ prompt }) => prompt.name === key);
  }
}
