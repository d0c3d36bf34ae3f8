import type { Freshness, Icon, Implementation } from '../model/items.ts';
import type { Eventually } from '../model/json.ts';
import type { ReadOptions, SchemaSource } from '../schema/standard.ts';
import { type PromptParts, present, promptEntry, resourceEntry, type TemplateParts, templateEntry } from './entries.ts';
import { after, all } from './eventually.ts';
import { checkNamespace, checkToolName } from './namespace.ts';
import type {
  Change,
  Mount,
  Offer,
  PromptEntry,
  Provider,
  ResourceEntry,
  TemplateEntry,
  ToolEntry,
} from './provider.ts';
import { type ItemHandle, type MountHandle, Shelf } from './shelf.ts';
import type {
  PromptArguments,
  PromptHandler,
  PromptSpec,
  ResourceHandler,
  ResourceSpec,
  TemplateHandler,
  TemplateSpec,
  ToolHandler,
  ToolSpec,
} from './specs.ts';
import { createTemplate } from './template.ts';
import { type ToolParts, toolMaker } from './tool-entry.ts';

/** Who a server says it is, and what it tells every client. */
export interface ServerOptions {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly websiteUrl?: string;
  /** Tells the model behind the client how to use what is offered. */
  readonly instructions?: string;
  /** How long clients may keep the lists. */
  readonly cache?: Freshness;
}

/** Tools, resources and prompts written in code. Items may be added, changed and removed while it is served. */
export interface Server extends Provider {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly cache: Freshness | undefined;
  /**
   * Offers a function to call; what it returns becomes the result, a thrown `ToolError` a failure in its own words.
   * **A handler that asks the user or the model (`call.ask`) may run from the top more than once:** what stands before
   * a question must be free of side effects or wrapped in `call.once`. See the replay rule at `Ask`.
   */
  tool<const I extends SchemaSource | undefined = undefined, const O extends SchemaSource | undefined = undefined>(
    name: string,
    spec: ToolSpec<I, O>,
    handler: NoInfer<ToolHandler<I, O>>,
  ): ItemHandle<ToolSpec<I, O> & { handler: ToolHandler<I, O> }>;
  /** Offers what stands behind one URI. */
  resource(
    name: string,
    uri: string,
    spec: ResourceSpec,
    handler: ResourceHandler,
  ): ItemHandle<ResourceSpec & { handler: ResourceHandler }>;
  /** Offers what stands behind every URI a template of RFC 6570 makes. */
  template<const T extends string>(
    name: string,
    uriTemplate: T,
    spec: TemplateSpec<T>,
    handler: TemplateHandler<T>,
  ): ItemHandle<TemplateSpec<T> & { handler: TemplateHandler<T> }>;
  /** Offers messages for a user to start from. */
  prompt<const A extends PromptArguments = PromptArguments>(
    name: string,
    spec: PromptSpec<A>,
    handler: PromptHandler<A>,
  ): ItemHandle<PromptSpec<A> & { handler: PromptHandler<A> }>;
  /** Offers everything another source offers, as `namespace__name`. */
  mount(namespace: string, other: Provider): MountHandle;
  /** Tells those who watch a resource that it changed. */
  updated(uri: string): void;
  watch(listener: (change: Change) => void): () => void;
}

/** Makes a server without items. */
export function createServer(options: ServerOptions): Server {
  return new AuthoredServer(options);
}

/** Makes a server for a pack of this package: its schemas, which tests have compiled, are compiled on their first use. */
export function createPack(options: ServerOptions): Server {
  return new AuthoredServer(options, { late: true });
}

const URI = /^[A-Za-z][A-Za-z0-9+.-]*:\S*$/;
const LISTS = ['tools', 'resources', 'prompts'] as const;

class AuthoredServer implements Server {
  readonly name: string;
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly cache: Freshness | undefined;
  readonly #tools = new Shelf<ToolEntry>('tool', () => this.#tell({ kind: 'tools' }));
  readonly #resources = new Shelf<ResourceEntry>('resource', () => this.#tell({ kind: 'resources' }));
  readonly #templates = new Shelf<TemplateEntry>('resource template', () => this.#tell({ kind: 'resources' }));
  readonly #prompts = new Shelf<PromptEntry>('prompt', () => this.#tell({ kind: 'prompts' }));
  readonly #mounts = new Map<Mount, () => void>();
  readonly #listeners = new Set<(change: Change) => void>();

  readonly #schemas: Pick<ReadOptions, 'late'>;

  constructor(options: ServerOptions, schemas: Pick<ReadOptions, 'late'> = {}) {
    const { name, version, title, description, icons, websiteUrl, instructions, cache } = options;
    if (typeof name !== 'string' || name === '') throw new TypeError('A server needs a name');
    if (typeof version !== 'string' || version === '') throw new TypeError(`Server "${name}" needs a version`);
    const shown = icons === undefined ? undefined : [...icons];
    this.name = name;
    this.info = Object.freeze(present<Implementation>({ name, version, title, description, icons: shown, websiteUrl }));
    this.instructions = instructions;
    this.cache = cache;
    this.#schemas = schemas;
  }

  tool<const I extends SchemaSource | undefined, const O extends SchemaSource | undefined>(
    name: string,
    spec: ToolSpec<I, O>,
    handler: ToolHandler<I, O>,
  ): ItemHandle<ToolSpec<I, O> & { handler: ToolHandler<I, O> }> {
    checkToolName(name);
    const make = toolMaker(name, this.#schemas);
    return this.#tools.add(name, { ...spec, handler }, (parts) => make(parts as ToolParts));
  }

  resource(
    name: string,
    uri: string,
    ...[spec, handler]: [ResourceSpec, ResourceHandler]
  ): ItemHandle<ResourceSpec & { handler: ResourceHandler }> {
    checkName('resource', name);
    if (!URI.test(uri)) throw new TypeError(`Cannot add resource "${name}": "${uri}" is not a URI with a scheme`);
    return this.#resources.add(uri, { ...spec, handler }, (parts) => resourceEntry(name, uri, parts));
  }

  template<const T extends string>(
    name: string,
    uriTemplate: T,
    ...[spec, handler]: [TemplateSpec<T>, TemplateHandler<T>]
  ): ItemHandle<TemplateSpec<T> & { handler: TemplateHandler<T> }> {
    checkName('resource template', name);
    const template = createTemplate(uriTemplate);
    return this.#templates.add(uriTemplate, { ...spec, handler }, (parts) =>
      templateEntry(name, template, parts as unknown as TemplateParts),
    );
  }

  prompt<const A extends PromptArguments>(
    name: string,
    spec: PromptSpec<A>,
    handler: PromptHandler<A>,
  ): ItemHandle<PromptSpec<A> & { handler: PromptHandler<A> }> {
    checkName('prompt', name);
    return this.#prompts.add(name, { ...spec, handler }, (parts) => promptEntry(name, parts as unknown as PromptParts));
  }

  mount(namespace: string, other: Provider): MountHandle {
    checkNamespace(namespace);
    if (this.#isInside(other)) throw new TypeError(`Cannot mount "${namespace}": a server cannot hold itself`);
    const mount: Mount = Object.freeze({ namespace, provider: other });
    this.#mounts.set(mount, this.#listeners.size > 0 ? this.#follow(mount) : ignore);
    this.#tellAll();
    return {
      remove: () => {
        const unfollow = this.#mounts.get(mount);
        if (unfollow === undefined) return;
        this.#mounts.delete(mount);
        unfollow();
        this.#tellAll();
      },
    };
  }

  updated(uri: string): void {
    this.#tell({ kind: 'updated', uri });
  }

  load(): Eventually<Offer> {
    const mounts = [...this.#mounts.keys()];
    const prompts = this.#prompts.entries();
    const own = all<readonly unknown[]>([
      this.#tools.entries(),
      this.#resources.entries(),
      this.#templates.entries(),
      prompts,
    ]);
    return after(own, ([tools, resources, templates, made]) => {
      return { tools, resources, templates, prompts: made, mounts } as Offer;
    });
  }

  // Mounted sources are followed only while someone listens, so a server nobody serves holds on to nothing.
  watch(listener: (change: Change) => void): () => void {
    const own = (change: Change) => listener(change);
    this.#listeners.add(own);
    if (this.#listeners.size === 1)
      for (const mount of this.#mounts.keys()) this.#mounts.set(mount, this.#follow(mount));
    return () => {
      if (!this.#listeners.delete(own) || this.#listeners.size > 0) return;
      for (const [mount, unfollow] of this.#mounts) {
        this.#mounts.set(mount, ignore);
        unfollow();
      }
    };
  }

  #follow({ provider }: Mount): () => void {
    return provider.watch?.((change) => this.#tell(change)) ?? ignore;
  }

  #tell(change: Change): void {
    for (const listener of [...this.#listeners]) listener(change);
  }

  #tellAll(): void {
    for (const kind of LISTS) this.#tell({ kind });
  }

  #isInside(other: Provider): boolean {
    if (other === this) return true;
    return #mounts in other && [...other.#mounts.keys()].some(({ provider }) => this.#isInside(provider));
  }
}

function ignore(): void {}

function checkName(kind: string, name: string): void {
  if (typeof name !== 'string' || name === '') throw new TypeError(`Cannot add a ${kind} without a name`);
}
