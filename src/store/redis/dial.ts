import type { RedisAddress, RedisNode } from './address.ts';

/** What is used of a client of `@redis/client`. */
export interface RedisClient {
  connect(): Promise<unknown>;
  sendCommand(args: readonly string[]): Promise<unknown>;
  subscribe(channels: readonly string[], listener: (message: string, channel: string) => void): Promise<unknown>;
  unsubscribe(channels: readonly string[]): Promise<unknown>;
  on(event: string, listener: (error: unknown) => void): unknown;
  destroy(): unknown;
}

/** What is used of its cluster client. */
export interface RedisCluster {
  readonly masters: readonly object[];
  connect(): Promise<unknown>;
  nodeClient(node: object): Promise<RedisClient>;
  getNodeClientForKey(key: string): Promise<RedisClient>;
  sendCommand(key: string, readonly: boolean, args: readonly string[]): Promise<unknown>;
  on(event: string, listener: (error: unknown) => void): unknown;
  destroy(): unknown;
}

/** What is used of the module `@redis/client`. */
export interface RedisModule {
  createClient(options: object): RedisClient;
  createCluster(options: object): RedisCluster;
}

/** One open connection, or one to each server of a cluster. */
export interface Wire {
  /** Sends a command to the server that has the key. */
  send(key: string, args: readonly string[]): Promise<unknown>;
  /** How many servers share the keys. */
  servers(): number;
  /** Sends a command to one of them; answers `undefined` beyond the last. */
  sendTo(server: number, args: readonly string[]): Promise<unknown>;
  subscribe(channels: readonly string[], listener: (message: string, channel: string) => void): Promise<unknown>;
  unsubscribe(channels: readonly string[]): Promise<unknown>;
  destroy(): void;
}

/** Opens a connection; `lost` is called with the reason when it breaks, from the first moment on. */
export type Dial = (lost: (reason: unknown) => void) => Promise<Wire>;

const LEAST_CONNECT_MS = 2000;

interface Login {
  readonly username?: string;
  readonly password?: string;
}

function clientOptions({ tls, timeoutMs, database }: RedisAddress, node: RedisNode | undefined, login: Login): object {
  return {
    socket: {
      ...node,
      ...(tls ? { tls: true, ...(node === undefined ? {} : { servername: node.host }) } : {}),
      connectTimeout: Math.max(timeoutMs, LEAST_CONNECT_MS),
      // Links dial again themselves, so that no command is ever sent twice.
      reconnectStrategy: false,
    },
    ...login,
    ...(database === 0 ? {} : { database }),
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
  };
}

function loginOf({ username, password }: RedisAddress): Login {
  return { ...(username === undefined ? {} : { username }), ...(password === undefined ? {} : { password }) };
}

function destroyQuietly(client: { destroy(): unknown }): void {
  try {
    const destroyed: unknown = client.destroy();
    if (destroyed instanceof Promise) destroyed.catch(() => {});
  } catch {
    // It was closed already.
  }
}

async function connect<Client extends RedisClient | RedisCluster>(
  client: Client,
  lost: (reason: unknown) => void,
): Promise<Client> {
  client.on('error', lost);
  try {
    await client.connect();
    return client;
  } catch (error) {
    destroyQuietly(client);
    throw error;
  }
}

function wireOf(client: RedisClient): Wire {
  return {
    send: (_, args) => client.sendCommand(args),
    servers: () => 1,
    sendTo: async (server, args) => (server === 0 ? client.sendCommand(args) : undefined),
    subscribe: (channels, listener) => client.subscribe(channels, listener),
    unsubscribe: (channels) => client.unsubscribe(channels),
    destroy: () => destroyQuietly(client),
  };
}

function wireOfCluster(cluster: RedisCluster): Wire {
  const wrongConnection = () => Promise.reject(new TypeError('A cluster is listened to on a connection of its own'));
  return {
    async send(key, args) {
      // The cluster client would publish on a server of its choice, each time another, and so lose the order.
      if (args[0] === 'PUBLISH') return (await cluster.getNodeClientForKey(key)).sendCommand(args);
      return cluster.sendCommand(key, false, args);
    },
    servers: () => cluster.masters.length,
    async sendTo(server, args) {
      const master = cluster.masters[server];
      return master === undefined ? undefined : (await cluster.nodeClient(master)).sendCommand(args);
    },
    subscribe: wrongConnection,
    unsubscribe: wrongConnection,
    destroy: () => destroyQuietly(cluster),
  };
}

/** The first node that a try succeeds on; the last failure where it succeeds on none. */
async function firstOf<T>(nodes: readonly RedisNode[], attempt: (node: RedisNode) => Promise<T>): Promise<T> {
  let failure: unknown;
  for (const node of nodes) {
    try {
      return await attempt(node);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** Asks the sentinels, one after the other, which server is the master now. */
function askSentinels(module: RedisModule, address: RedisAddress): Promise<RedisNode> {
  const sentinel = { ...address, database: 0 };
  return firstOf(address.nodes, async (node) => {
    const client = await connect(module.createClient(clientOptions(sentinel, node, {})), () => {});
    try {
      const answer = await client.sendCommand(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', address.master]);
      if (!Array.isArray(answer)) throw new Error('The sentinels watch no master of that name');
      return { host: String(answer[0]), port: Number(answer[1]) };
    } finally {
      destroyQuietly(client);
    }
  });
}

async function dialNode(
  module: RedisModule,
  options: object,
  { lost, master }: { readonly lost: (reason: unknown) => void; readonly master: boolean },
): Promise<Wire> {
  const client = await connect(module.createClient(options), lost);
  const wire = wireOf(client);
  try {
    const role = master ? ((await client.sendCommand(['ROLE'])) as readonly unknown[])[0] : 'master';
    if (role !== 'master') throw new Error('The server the sentinels named is no master yet');
    return wire;
  } catch (error) {
    wire.destroy();
    throw error;
  }
}

/** How to open connections to an address: one kind for commands, one to listen on. */
export function dials(module: RedisModule, address: RedisAddress): { readonly commands: Dial; readonly hearing: Dial } {
  const login = loginOf(address);
  const single: Dial = (lost) =>
    firstOf(address.nodes, (node) => dialNode(module, clientOptions(address, node, login), { lost, master: false }));
  if (address.kind === 'sentinel') {
    const dial: Dial = async (lost) => {
      const node = await askSentinels(module, address);
      return dialNode(module, clientOptions(address, node, login), { lost, master: true });
    };
    return { commands: dial, hearing: dial };
  }
  if (address.kind === 'single') return { commands: single, hearing: single };
  const cluster: Dial = async (lost) => {
    const rootNodes = address.nodes.map((node) => clientOptions(address, node, login));
    const client = module.createCluster({ rootNodes, defaults: clientOptions(address, undefined, login) });
    client.on('node-error', lost);
    return wireOfCluster(await connect(client, lost));
  };
  // Whatever is published on one server of a cluster is heard on every one.
  return { commands: cluster, hearing: single };
}
