import { createDiscovery, type DiscoveryOptions } from './discovery.ts';
import type { Handler } from './exchange.ts';
import { createHealth, type HealthOptions } from './health.ts';
import { createMetricsPage, type MetricsOptions } from './metrics.ts';
import { createPage, type PageOptions } from './page.ts';

export interface InfoRoute {
  readonly path: string;
  readonly handler: Handler;
  /** `all`: neither Host nor access is checked. `access`: credentials are verified when given, and not demanded. */
  readonly exempt?: 'all' | 'access';
}

export interface InfoOptions extends PageOptions, HealthOptions, Pick<DiscoveryOptions, 'label' | 'sse'> {
  /** Absent when nothing is counted; then there is no `/metrics`. */
  readonly metrics?: MetricsOptions | undefined;
}

/** Everything a server says about itself outside a conversation. There is no page where the endpoint itself is. */
export function infoRoutes(options: InfoOptions): readonly InfoRoute[] {
  const { metrics, endpoint, revisions } = options;
  const discovery = createDiscovery({ ...options, revisions: revisions.map(({ id }) => id) });
  const { health, live, ready } = createHealth(options);
  return [
    ...(endpoint === '/' ? [] : [{ path: '/', handler: createPage(options), exempt: 'access' as const }]),
    { path: '/.well-known/mcp.json', handler: discovery, exempt: 'access' },
    { path: `${endpoint.replace(/\/+$/, '')}/discover`, handler: discovery, exempt: 'access' },
    { path: '/health', handler: health, exempt: 'all' },
    { path: '/healthz', handler: health, exempt: 'all' },
    { path: '/livez', handler: live, exempt: 'all' },
    { path: '/readyz', handler: ready, exempt: 'all' },
    ...(metrics === undefined ? [] : [{ path: '/metrics', handler: createMetricsPage(metrics) }]),
  ];
}
