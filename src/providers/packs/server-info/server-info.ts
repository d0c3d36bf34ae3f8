import { createPack, type Server } from '../../../catalog/server.ts';
import type { JsonObject } from '../../../model/json.ts';

/** Where the resources get what they show, asked anew at every reading. */
export interface ServerInfoSources {
  /** The configuration in force, without secrets. */
  config(): JsonObject;
  /** What was counted since the start. */
  metrics(): JsonObject;
  /** Facts about the process and the machine. */
  system(): JsonObject;
  /** The last lines of the log, oldest first. */
  logs(): readonly string[];
}

const NOTHING_KEPT = { ttlMs: 0, scope: 'private' } as const;

/** Resources in which a running server tells about itself. */
export function createServerInfo({ config, metrics, system, logs }: ServerInfoSources): Server {
  const server = createPack({ name: 'server-info', version: '1.0.0' });
  const json = { mimeType: 'application/json', cache: NOTHING_KEPT };
  server.resource('config', 'config://server/options', { ...json, description: 'Server configuration' }, () =>
    shown(config()),
  );
  server.resource('metrics', 'metrics://server/stats', { ...json, description: 'Server metrics' }, () =>
    shown(metrics()),
  );
  server.resource('system', 'system://runtime/info', { ...json, description: 'System information' }, () =>
    shown(system()),
  );
  server.resource(
    'logs',
    'logs://server/recent',
    { mimeType: 'text/plain', cache: NOTHING_KEPT, description: 'Recent log entries' },
    () => logs().join('\n'),
  );
  return server;
}

function shown(facts: JsonObject): string {
  return JSON.stringify(facts, undefined, 2);
}
