import type { ClientCapabilities } from '../../model/capabilities.ts';
import { echoed, excerpt } from '../../model/excerpt.ts';
import { Fault } from '../../model/fault.ts';
import type { Implementation } from '../../model/items.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Peer } from '../../model/peer.ts';

// What a request of the modern era says about itself, in `params._meta`.
// spec 2026-07-28 basic/index#_meta

export const REVISION_KEY = 'io.modelcontextprotocol/protocolVersion';
export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
export const CLIENT_KEY = 'io.modelcontextprotocol/clientInfo';
export const LEVEL_KEY = 'io.modelcontextprotocol/logLevel';
export const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';

/** The revision a message claims for itself, or `undefined` when it claims none. */
export function claimOf(message: JsonObject): Json | undefined {
  const { params } = message;
  if (!isObject(params)) return undefined;
  const meta = params['_meta'];
  return isObject(meta) ? meta[REVISION_KEY] : undefined;
}

/** Throws when the metadata that every modern request needs is missing or mistyped. */
export function checkClaim(meta: JsonObject): void {
  const named = typeof meta[REVISION_KEY] === 'string';
  const declared = isObject(meta[CAPABILITIES_KEY]);
  if (!named || !declared) throw badClaim([...(named ? [] : [REVISION_KEY]), ...(declared ? [] : [CAPABILITIES_KEY])]);
}

export function badClaim(missing: readonly string[] = [REVISION_KEY, CAPABILITIES_KEY]): Fault {
  const keys = missing.map((key) => `"${key}"`).join(' and ');
  return new Fault('E_BAD_CLAIM', `Invalid params: "_meta" needs ${keys}`, { data: { missing: [...missing] } });
}

export function unsupported(requested: Json | undefined, supported: readonly string[]): Fault {
  const named = String(requested);
  return new Fault('E_UNSUPPORTED_REVISION', `Unsupported protocol version: "${excerpt(named)}"`, {
    data: { supported: [...supported], requested: echoed(named) },
  });
}

export function readPeer(meta: JsonObject): Peer {
  const client = meta[CLIENT_KEY];
  const named = isObject(client) && typeof client['name'] === 'string' && typeof client['version'] === 'string';
  return {
    client: named ? (client as unknown as Implementation) : undefined,
    capabilities: meta[CAPABILITIES_KEY] as ClientCapabilities,
  };
}
