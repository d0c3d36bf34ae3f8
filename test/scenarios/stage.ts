import { createHost, type Host, type HostOptions } from '../../src/host/host.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Principal } from '../../src/model/peer.ts';
import { type StdioServer, serveStdio } from '../../src/transports/stdio.ts';
import { createFixture } from './fixture.ts';
import type { Fixture } from './fixture-behind.ts';
import { Peer, pipes } from './peer.ts';
import type { RevisionId } from './revisions.ts';

export interface SceneOptions extends Partial<Omit<HostOptions, 'mounts' | 'log'>> {
  /** Serve nothing at all. */
  readonly bareShelves?: boolean;
}

/** A host with the fixture behind it, and as many pipes to it as a test wants. */
export interface Scene {
  readonly host: Host;
  readonly fixture: Fixture;
  /** Everything the server logged, one entry a line. */
  readonly logged: string[];
  peer(revision: RevisionId, capabilities?: JsonObject, principal?: Principal): Peer;
  /** Stops serving as a signal would: no more input, work in flight may finish. */
  shutdown(): Promise<void>;
  close(): Promise<void>;
}

/** Serves the fixture over the real byte path of stdio, with streams in place of the process's own. */
export async function stage({ bareShelves = false, ...options }: SceneOptions = {}): Promise<Scene> {
  const fixture = createFixture();
  const logged: string[] = [];
  const host = await createHost({
    server: fixture.server.info,
    instructions: fixture.server.instructions,
    ...options,
    limits: { drainMs: 500, ...options.limits },
    mounts: bareShelves ? [] : [{ provider: fixture.server }],
    log: (severity, message, fields) => logged.push(JSON.stringify({ severity, message, ...fields })),
  });
  const servers: StdioServer[] = [];
  return {
    host,
    fixture,
    logged,
    peer(revision, capabilities, principal) {
      const { input, output } = pipes();
      const server = serveStdio({
        input,
        output,
        limits: host.limits,
        log: host.log,
        converse: (outlet) => host.converse({ outlet, shared: true, principal }),
      });
      servers.push(server);
      return new Peer(
        revision,
        { input, output, closed: server.closed },
        capabilities === undefined ? {} : { capabilities },
      );
    },
    async shutdown() {
      await Promise.all(servers.map((server) => server.shutdown()));
    },
    async close() {
      fixture.releaseAll();
      await Promise.all(servers.map((server) => server.shutdown()));
      host.close();
    },
  };
}
