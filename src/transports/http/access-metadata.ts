import { jsonDocument, serveDocument } from './document.ts';
import type { HttpExchange } from './exchange.ts';
import { endpointUrl, publicEndpoint, type Whereabouts } from './own-url.ts';
import type { Route } from './router.ts';

const METADATA = '/.well-known/oauth-protected-resource';

export interface MetadataOptions extends Whereabouts {
  /** Paths beside the endpoint that clients may know the server by; each is a resource of its own. */
  readonly others?: readonly string[] | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly issuers?: readonly string[] | undefined;
}

/** The address of a resource as whoever made a request can reach it: of the path asked for, else of the endpoint. */
export function resourceUrl(options: MetadataOptions, exchange: HttpExchange): string {
  const { others = [] } = options;
  return others.includes(exchange.path) ? urlOf(options, exchange.path, exchange) : endpointUrl(options, exchange);
}

/** Where the metadata of a resource is: its path follows the well-known one. */
// spec RFC 9728 section 3.1
export function metadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}${METADATA}${pathname === '/' ? '' : pathname}`;
}

/** Where clients learn whom to ask for a token: at the root for the endpoint, and below it for every resource. */
export function metadataRoutes(options: MetadataOptions): readonly Route[] {
  const { endpoint, publicUrl, others = [] } = options;
  const outside = publicUrl === undefined ? [] : [new URL(metadataUrl(publicEndpoint(publicUrl, endpoint))).pathname];
  const paths = new Map([METADATA, endpoint === '/' ? METADATA : METADATA + endpoint, ...outside].map(of(endpoint)));
  for (const path of others) {
    paths.set(METADATA + path, path);
    if (publicUrl !== undefined) paths.set(new URL(metadataUrl(urlBeside(publicUrl, endpoint, path))).pathname, path);
  }
  return [...paths].map(([path, resource]) => ({ path, handler: documentOf(options, resource) }));
}

const of = (endpoint: string) => (path: string) => [path, endpoint] as const;

function documentOf(options: MetadataOptions, path: string) {
  const { issuers = [], scopes = [], publicUrl } = options;
  return serveDocument((exchange) =>
    jsonDocument(
      200,
      {
        resource: urlOf(options, path, exchange),
        authorization_servers: issuers,
        ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
        bearer_methods_supported: ['header'],
      },
      { 'cache-control': publicUrl === undefined ? 'no-store' : 'public, max-age=300' },
    ),
  );
}

function urlOf({ endpoint, publicUrl }: MetadataOptions, path: string, exchange: HttpExchange): string {
  if (publicUrl === undefined || path === endpoint) return endpointUrl({ endpoint: path, publicUrl }, exchange);
  return urlBeside(publicUrl, endpoint, path);
}

/** The address of a path beside the endpoint, under a public address that may name the endpoint. */
export function urlBeside(publicUrl: string, endpoint: string, path: string): string {
  const whole = publicEndpoint(publicUrl, endpoint);
  return `${whole.slice(0, whole.length - endpoint.length).replace(/\/+$/, '')}${path}`;
}
