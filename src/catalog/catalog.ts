import type { Freshness } from '../model/items.ts';
import type { Answer } from '../model/verbs.ts';
import { type Flat, type FlattenOptions, flatten } from './flatten.ts';
import { resolveName } from './namespace.ts';
import { type AccessRule, Needs, type Sighted } from './needs.ts';
import { type Pages, paginate } from './page.ts';
import type { Mount, PromptEntry, ResourceEntry, TemplateEntry, ToolEntry } from './provider.ts';

/** What stands behind a URI: a resource of that URI, or the first template that makes it. */
export type FoundResource =
  | { readonly kind: 'resource'; readonly entry: ResourceEntry }
  | { readonly kind: 'template'; readonly entry: TemplateEntry; readonly variables: Readonly<Record<string, string>> };

/** Everything on offer at one moment. It never changes; a change makes a new one. Its pages are the same objects every time. */
export interface Catalog {
  tools(cursor?: string): Answer<'tools.list'>;
  resources(cursor?: string): Answer<'resources.list'>;
  templates(cursor?: string): Answer<'resources.templates'>;
  prompts(cursor?: string): Answer<'prompts.list'>;
  /** Finds a namespaced tool by `ns__tool` and `mcp__ns__tool`, whichever is listed, and by `tool` where that is asked for. */
  findTool(name: string): ToolEntry | undefined;
  findResource(uri: string): FoundResource | undefined;
  findTemplate(uriTemplate: string): TemplateEntry | undefined;
  findPrompt(name: string): PromptEntry | undefined;
  /** Which kinds of items there are; templates count as resources, and `tasks` means tools that may be tasks. */
  readonly offers: { readonly [K in 'tools' | 'resources' | 'prompts' | 'completions' | 'tasks']: boolean };
  readonly counts: { readonly [K in 'tools' | 'resources' | 'templates' | 'prompts']: number };
  /** Every scope some item needs, sorted; none when everything is there for everybody. */
  readonly scopes: readonly string[];
  /** What is left for who has these scopes. What is hidden cannot be told from what is not there; what is offered stays. */
  within(scopes: ReadonlySet<string>): Catalog;
}

export interface CatalogOptions extends FlattenOptions {
  /** Most items on one page of a list. */
  readonly pageSize: number;
  /** How long a list may be kept. */
  readonly fresh?: Freshness;
  /** What the catalog before this one offered: clients were told so once, so it stays true even of an empty list. */
  readonly offered?: Catalog['offers'];
  /** What items need, besides what they say themselves. */
  readonly rules?: readonly AccessRule[];
}

/** Loads all mounts and builds the catalog of what they offer. Throws `TypeError` when two items collide. */
export async function buildCatalog(mounts: readonly Mount[], options: CatalogOptions): Promise<Catalog> {
  return new FlatCatalog(await flatten(mounts, options), options);
}

/** Says what somebody may do with a URI, whatever would answer it. */
type Bar = (uri: string) => Sighted;

class FlatCatalog implements Catalog {
  readonly offers: Catalog['offers'];
  readonly counts: Catalog['counts'];
  readonly #flat: Flat;
  readonly #options: CatalogOptions;
  readonly #needs: Needs;
  readonly #barred: Bar | undefined;
  readonly #templates: readonly TemplateEntry[];
  readonly scopes: readonly string[];
  readonly #pages: {
    readonly tools: Pages<Answer<'tools.list'>>;
    readonly resources: Pages<Answer<'resources.list'>>;
    readonly templates: Pages<Answer<'resources.templates'>>;
    readonly prompts: Pages<Answer<'prompts.list'>>;
  };

  constructor(flat: Flat, options: CatalogOptions, barred?: Bar) {
    this.#flat = flat;
    this.#options = options;
    this.#needs = new Needs(options.rules);
    this.#barred = barred;
    this.scopes = this.#needs.all(flat);
    this.#templates = [...flat.templates.values()];
    this.#pages = pagesOf(flat, options);
    const { tools, resources, templates, prompts } = flat;
    const before = options.offered;
    this.counts = Object.freeze({
      tools: tools.size,
      resources: resources.size,
      templates: templates.size,
      prompts: prompts.size,
    });
    this.offers = Object.freeze({
      tools: before?.tools === true || tools.size > 0,
      resources: before?.resources === true || resources.size + templates.size > 0,
      prompts: before?.prompts === true || prompts.size > 0,
      completions: before?.completions === true || [...templates.values(), ...prompts.values()].some(completes),
      tasks:
        before?.tasks === true ||
        [...tools.values()].some(({ tool }) => (tool.execution?.taskSupport ?? 'forbidden') !== 'forbidden'),
    });
    Object.freeze(this);
  }

  tools(cursor?: string): Answer<'tools.list'> {
    return this.#pages.tools.pageOf(cursor);
  }

  resources(cursor?: string): Answer<'resources.list'> {
    return this.#pages.resources.pageOf(cursor);
  }

  templates(cursor?: string): Answer<'resources.templates'> {
    return this.#pages.templates.pageOf(cursor);
  }

  prompts(cursor?: string): Answer<'prompts.list'> {
    return this.#pages.prompts.pageOf(cursor);
  }

  within(scopes: ReadonlySet<string>): Catalog {
    const flat = this.#needs.within(this.#flat, scopes);
    const hidden = (uri: string): boolean => this.#flat.resources.has(uri) && !flat.resources.has(uri);
    const barred: Bar = (uri) => (hidden(uri) ? undefined : this.#needs.sightedUri(uri, scopes));
    return new FlatCatalog(flat, { ...this.#options, offered: this.offers }, barred);
  }

  findTool(name: string): ToolEntry | undefined {
    const { tools, bare } = this.#flat;
    return tools.get(name) ?? tools.get(resolveName(name)) ?? tools.get(bare.tools.get(name) ?? '');
  }

  findResource(uri: string): FoundResource | undefined {
    const entry = this.#flat.resources.get(uri);
    if (entry !== undefined) return { kind: 'resource', entry };
    // What is hidden as itself must not come back as something a template makes.
    const sight = this.#barred === undefined ? 'use' : this.#barred(uri);
    if (sight === undefined) return undefined;
    for (const template of this.#templates) {
      const variables = template.match(uri);
      if (variables !== undefined) return { kind: 'template', entry: lacking(template, sight), variables };
    }
    return undefined;
  }

  findTemplate(uriTemplate: string): TemplateEntry | undefined {
    return this.#flat.templates.get(uriTemplate);
  }

  findPrompt(name: string): PromptEntry | undefined {
    const { prompts, bare } = this.#flat;
    return prompts.get(name) ?? prompts.get(resolveName(name)) ?? prompts.get(bare.prompts.get(name) ?? '');
  }
}

/** A template in front of a URI that takes more scopes than somebody has. */
function lacking(entry: TemplateEntry, sight: Exclude<Sighted, undefined>): TemplateEntry {
  return sight === 'use' ? entry : { ...entry, lacks: [...new Set([...(entry.lacks ?? []), ...sight])] };
}

function completes({ complete }: TemplateEntry | PromptEntry): boolean {
  return complete !== undefined && Object.keys(complete).length > 0;
}

function pagesOf(flat: Flat, { pageSize: size, fresh }: CatalogOptions) {
  const kept = fresh === undefined ? {} : { fresh: Object.freeze({ ...fresh }) };
  const rest = (next: string | undefined) => (next === undefined ? kept : { next, ...kept });
  return {
    tools: paginate(
      [...flat.tools.values()].map(({ tool }) => tool),
      { kind: 'tools', size, keyOf: ({ name }) => name, page: (tools, next) => ({ tools, ...rest(next) }) },
    ),
    resources: paginate(
      [...flat.resources.values()].map(({ resource }) => resource),
      { kind: 'resources', size, keyOf: ({ uri }) => uri, page: (resources, next) => ({ resources, ...rest(next) }) },
    ),
    templates: paginate(
      [...flat.templates.values()].map(({ template }) => template),
      {
        kind: 'templates',
        size,
        keyOf: ({ uriTemplate }) => uriTemplate,
        page: (templates, next) => ({ templates, ...rest(next) }),
      },
    ),
    prompts: paginate(
      [...flat.prompts.values()].map(({ prompt }) => prompt),
      { kind: 'prompts', size, keyOf: ({ name }) => name, page: (prompts, next) => ({ prompts, ...rest(next) }) },
    ),
  };
}
