import type { HttpExchange } from './exchange.ts';
import { lastForwarded } from './headers-forwarded.ts';

export interface Whereabouts {
  /** The path of the MCP endpoint. */
  readonly endpoint: string;
  /** Where the server is reached from outside, with the endpoint or without; otherwise what the request says. */
  readonly publicUrl?: string | undefined;
}

// A Host header ends up in commands that people paste, so only what can stand in an address is taken from it.
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** The address of the endpoint, as whoever made a request can reach it. */
export function endpointUrl({ publicUrl, endpoint }: Whereabouts, exchange: HttpExchange): string {
  if (publicUrl !== undefined) return publicEndpoint(publicUrl, endpoint);
  // These come from a trusted proxy, or an exchange does not have them.
  const forwarded = exchange.header('forwarded');
  const told = lastOf(exchange.header('x-forwarded-host')) ?? lastForwarded(forwarded, 'host');
  const host = told ?? exchange.header('host') ?? '';
  const proto = lastOf(exchange.header('x-forwarded-proto')) ?? lastForwarded(forwarded, 'proto');
  const scheme = proto === 'https' ? 'https' : 'http';
  return `${scheme}://${HOST.test(host) ? host : 'localhost'}${endpoint}`;
}

/** What the nearest proxy said, where several did. */
function lastOf(list: string | undefined): string | undefined {
  return list?.slice(list.lastIndexOf(',') + 1).trim();
}

/** The address of the endpoint under a public address that may name it already. */
export function publicEndpoint(publicUrl: string, endpoint: string): string {
  const base = publicUrl.replace(/\/+$/, '');
  return base.endsWith(endpoint) ? base : base + endpoint;
}
