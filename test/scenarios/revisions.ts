// What the tests know about each revision, told apart from the server's own tables so that neither can hide the other's mistake.

export const ALL = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;
export type RevisionId = (typeof ALL)[number];

export const MODERN: RevisionId = '2026-07-28';
export const NEWEST_LEGACY: RevisionId = '2025-11-25';
export const LEGACY: readonly RevisionId[] = ALL.filter((id) => id !== MODERN);

/** Whether a revision came with or after another. */
export function since(revision: string, first: RevisionId): boolean {
  return revision >= first;
}

export function isModern(revision: string): boolean {
  return since(revision, MODERN);
}

export const KEY = {
  revision: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  client: 'io.modelcontextprotocol/clientInfo',
  level: 'io.modelcontextprotocol/logLevel',
  subscription: 'io.modelcontextprotocol/subscriptionId',
  server: 'io.modelcontextprotocol/serverInfo',
} as const;

/** The JSON-RPC numbers the tests expect. */
export const CODE = {
  parse: -32700,
  badMessage: -32600,
  unknownMethod: -32601,
  badParams: -32602,
  internal: -32603,
  notFound: -32002,
  urlNeeded: -32042,
  missingCapability: -32021,
  unsupportedRevision: -32022,
  busy: -31001,
  timeout: -31002,
  denied: -31003,
} as const;
