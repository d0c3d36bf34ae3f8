import type { Provider } from './catalog/provider.ts';
import type { Server } from './catalog/server.ts';
import { createHost } from './host/host.ts';
import type { Limits } from './model/limits.ts';
import type { Log } from './model/log.ts';
import { type Client, type ClientOptions, connect as connectLink } from './providers/upstream/client.ts';
import { openPair } from './providers/upstream/pair.ts';

export type { Answerers } from './providers/upstream/answering.ts';
export type {
  Client,
  ClientOptions,
  CompletionRequest,
  ServerGreeting,
} from './providers/upstream/client.ts';
export type { RequestOptions } from './providers/upstream/connection.ts';
export type { Subscription } from './providers/upstream/listening.ts';
export { PeerError } from './providers/upstream/peer-error.ts';

export interface TestOptions extends Omit<ClientOptions, 'reopen' | 'older' | 'log'> {
  /** Limits of the server's side. */
  readonly limits?: Partial<Limits>;
  /** The log of the server's side. */
  readonly log?: Log;
}

/** Serves a server inside this process to a client of its own: no child process, no socket, the same messages. */
export async function connect(server: Provider | Server, options: TestOptions = {}): Promise<Client> {
  const { limits, log, revisions, ...client } = options;
  const { info, instructions, cache } = server as Partial<Server>;
  const host = await createHost({
    trusting: true,
    server: info ?? { name: server.name, version: '0.0.0' },
    instructions,
    cache,
    mounts: [{ provider: server }],
    ...(limits === undefined ? {} : { limits }),
    ...(log === undefined ? {} : { log }),
    ...(revisions === undefined ? {} : { revisions }),
  });
  const link = openPair({
    converse: (outlet) => host.converse({ outlet, shared: true }),
    onClose: () => host.close(),
  });
  return connectLink(link, { ...client, revisions });
}
