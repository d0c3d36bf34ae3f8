import type { Implementation } from '../../model/items.ts';
import type { Principal } from '../../model/peer.ts';
import { type Document, jsonDocument, serveDocument } from './document.ts';
import type { Handler } from './exchange.ts';

/** Who is told what is on offer before a conversation: names to all, numbers to all, names to the known, nothing. */
export const DISCOVERY_POLICIES = ['public', 'counts', 'authenticated', 'none'] as const;
export type DiscoveryPolicy = (typeof DISCOVERY_POLICIES)[number];

/** The names of the items on offer; resources by their URI. */
export interface Offered {
  readonly tools: readonly string[];
  readonly resources: readonly string[];
  readonly prompts: readonly string[];
}

export interface DiscoveryOptions {
  readonly server: Pick<Implementation, 'name' | 'version'>;
  /** The revision the document is labelled with, whichever are spoken. */
  readonly label: string;
  /** Every revision spoken, newest first. */
  readonly revisions: readonly string[];
  /** The path of the MCP endpoint. */
  readonly endpoint: string;
  /** Event streams can be opened on the endpoint itself. */
  readonly sse?: boolean;
  readonly policy?: DiscoveryPolicy;
  /** What somebody may see: the same object as long as nothing changes, so that the document is written once. */
  offered(principal?: Principal): Offered;
}

/** How much a policy lets this principal see. */
export function sight(policy: DiscoveryPolicy, principal: Principal | undefined): 'names' | 'counts' | 'nothing' {
  if (policy === 'none') return 'nothing';
  if (policy === 'counts') return 'counts';
  return policy === 'public' || principal !== undefined ? 'names' : 'counts';
}

/** Serves the document that says, before any conversation, what this server is and how to reach it. */
export function createDiscovery(options: DiscoveryOptions): Handler {
  const { policy = 'counts', offered } = options;
  const cache = policy === 'authenticated' ? 'no-store' : 'public, max-age=300';
  const kept = { names: keep(options, true), counts: keep(options, false) };
  return serveDocument(({ principal }): Document => {
    const seen = sight(policy, principal);
    if (seen === 'nothing') return jsonDocument(404, { error: 'Not found' }, { 'cache-control': 'no-store' });
    // What anybody may keep says what everybody may know.
    const shown = offered(policy === 'authenticated' ? principal : undefined);
    return { ...kept[seen](shown), headers: { ...HEADERS, 'cache-control': cache } };
  });
}

const { headers: HEADERS } = jsonDocument(200, null);

function keep(options: DiscoveryOptions, names: boolean): (offered: Offered) => Document {
  let of: Offered | undefined;
  let kept: Document | undefined;
  return (offered) => {
    if (kept === undefined || of !== offered) {
      of = offered;
      kept = jsonDocument(200, describe(options, offered, names));
    }
    return kept;
  };
}

// The first four members, and their order, are what older discovery clients read; the rest is added after them.
function describe(options: DiscoveryOptions, offered: Offered, names: boolean) {
  const { server, label, revisions, endpoint, sse = true } = options;
  const transports = sse ? ['http', 'sse'] : ['http'];
  const listing = (items: readonly string[]) => ({
    supported: items.length > 0,
    count: items.length,
    ...(names ? { available: items } : {}),
  });
  return {
    type: 'mcp-server',
    version: label,
    serverInfo: { name: server.name, version: server.version },
    transports: transports.map((type) => ({ type, endpoint })),
    protocolVersions: revisions,
    capabilities: {
      tools: listing(offered.tools),
      resources: listing(offered.resources),
      prompts: listing(offered.prompts),
    },
  };
}
