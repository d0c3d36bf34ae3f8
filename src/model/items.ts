import type { Json, JsonObject } from './json.ts';

// Items have the widest shape any dialect can say; a dialect narrows them, nothing else does.

export interface Icon {
  src: string;
  mimeType?: string;
  sizes?: string[];
  theme?: 'light' | 'dark';
}

/** Who a peer says it is: for display and logs, never for decisions. */
export interface Implementation {
  name: string;
  version: string;
  title?: string;
  description?: string;
  icons?: Icon[];
  websiteUrl?: string;
}

export type Role = 'user' | 'assistant';

/** Hints for whoever shows an item. */
export interface Annotations {
  audience?: Role[];
  priority?: number;
  lastModified?: string;
}

export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

export interface Tool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations?: ToolAnnotations;
  icons?: Icon[];
  execution?: { taskSupport?: 'forbidden' | 'optional' | 'required' };
  _meta?: JsonObject;
}

export interface Resource {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
  annotations?: Annotations;
  icons?: Icon[];
  _meta?: JsonObject;
}

export interface ResourceTemplate {
  uriTemplate: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  annotations?: Annotations;
  icons?: Icon[];
  _meta?: JsonObject;
}

export interface PromptArgument {
  name: string;
  title?: string;
  description?: string;
  required?: boolean;
}

export interface Prompt {
  name: string;
  title?: string;
  description?: string;
  arguments?: PromptArgument[];
  icons?: Icon[];
  _meta?: JsonObject;
}

interface Block {
  annotations?: Annotations;
  _meta?: JsonObject;
}

export interface TextContent extends Block {
  type: 'text';
  text: string;
}
export interface ImageContent extends Block {
  type: 'image';
  data: string;
  mimeType: string;
}
export interface AudioContent extends Block {
  type: 'audio';
  data: string;
  mimeType: string;
}
export interface EmbeddedResource extends Block {
  type: 'resource';
  resource: ResourceContents;
}
export interface ResourceLink extends Resource {
  type: 'resource_link';
}
/** What tools and prompts may show. */
export type Content = TextContent | ImageContent | AudioContent | EmbeddedResource | ResourceLink;

export interface ToolUseContent extends Block {
  type: 'tool_use';
  id: string;
  name: string;
  input: JsonObject;
}
export interface ToolResultContent extends Block {
  type: 'tool_result';
  toolUseId: string;
  content: Content[];
  structuredContent?: Json;
  isError?: boolean;
}
/** What a sampling message may hold. */
export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;

/** Text or base64 bytes behind a URI; exactly one of `text` and `blob`. */
export interface ResourceContents {
  uri: string;
  mimeType?: string;
  text?: string;
  blob?: string;
  _meta?: JsonObject;
}

export interface PromptMessage {
  role: Role;
  content: Content;
}

export interface ToolResult {
  content: Content[];
  /** The machine-readable result; the wire calls it `structuredContent`. */
  structured?: Json;
  /** The tool ran and failed; the wire calls it `isError`. */
  failed?: boolean;
  /** The tool's output schema does not promise an object, so revisions that need one wrap the value. */
  loose?: boolean;
  _meta?: JsonObject;
}

/** How long and by whom a result may be kept. */
export interface Freshness {
  ttlMs: number;
  scope: 'public' | 'private';
}
