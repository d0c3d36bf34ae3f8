import type { JsonObject } from './json.ts';

/** What a client says it can do. Open: unknown members travel unchanged. */
export interface ClientCapabilities extends JsonObject {
  roots?: { listChanged?: boolean };
  sampling?: { context?: JsonObject; tools?: JsonObject };
  elicitation?: { form?: JsonObject; url?: JsonObject };
  extensions?: JsonObject;
}

/** What a server says it can do. Open: unknown members travel unchanged. */
export interface ServerCapabilities extends JsonObject {
  tools?: { listChanged?: boolean };
  resources?: { subscribe?: boolean; listChanged?: boolean };
  prompts?: { listChanged?: boolean };
  logging?: JsonObject;
  completions?: JsonObject;
  tasks?: { list?: JsonObject; cancel?: JsonObject; requests?: JsonObject };
  experimental?: JsonObject;
  extensions?: JsonObject;
}
