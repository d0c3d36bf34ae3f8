import { Crowd } from '../model/crowd.ts';
import { Channels } from '../sessions/channels.ts';
import { Door } from '../sessions/door.ts';
import { Replica } from '../sessions/replica.ts';
import { Sessions } from '../sessions/sessions.ts';
import type { Store } from '../store/store.ts';
import type { Handler } from '../transports/http/exchange.ts';
import { KeepAlive } from '../transports/http/keep-alive.ts';
import { LegacySse } from '../transports/http/legacy-sse.ts';
import { rateLimited } from '../transports/http/rate.ts';
import { crowdLimited } from '../transports/http/rate-crowd.ts';
import { createStreamable } from '../transports/http/streamable.ts';
import type { Host } from './host.ts';

export interface Endpoint {
  /** The MCP endpoint itself. */
  readonly mcp: Handler;
  /** The event stream of the older transport, and where its messages are posted. */
  readonly sse: Handler;
  readonly messages: Handler;
  readonly sessions: Sessions;
  /** Resolves when clients may come: what others have for them arrives here. */
  ready(): Promise<void>;
  /** Takes nothing more that would have to come from others. */
  leave(): void;
  /** Ends streams and lets requests in flight finish. */
  drain(graceMs: number): Promise<void>;
}

export interface EndpointOptions {
  readonly store: Store;
  readonly messagesPath?: string;
}

/** Everything MCP that HTTP carries, for one host. */
export function createEndpoint(host: Host, { store, messagesPath = '/messages' }: EndpointOptions): Endpoint {
  const { house, limits, log, converse } = host;
  const replica = joinReplicas(host, store);
  const sessions = new Sessions(house, replica);
  const keepAlive = new KeepAlive(limits.keepAliveMs);
  const channels = new Channels(replica, { limits, log });
  const older = new LegacySse({ limits, messagesPath, keepAlive, channels, converse });
  const streamable = createStreamable({ door: new Door(house), sessions, limits, converse, keepAlive, older });
  const admitted = admission(host, store);
  return {
    mcp: admitted(streamable.handler),
    sse: admitted(older.open),
    messages: admitted(older.post),
    sessions,
    ready: () => replica.ready(),
    leave: () => older.leave(),
    async drain(graceMs) {
      await Promise.all([streamable.drain(graceMs), older.drain(graceMs), house.tasks?.drain(graceMs)]);
      keepAlive.stop();
      await replica.close();
    },
  };
}

/** One of those who share the store: what changes here is told there, and the other way round. */
function joinReplicas({ house, limits, log }: Host, store: Store): Replica {
  const replica = new Replica(store, { limits, log });
  if (!replica.shared) return replica;
  house.tasks?.join(replica);
  house.hub.relay((change) => void replica.tellChange(change));
  replica.hear((word) => {
    if (word.kind === 'change') house.hub.pass(word.change);
    if (word.kind === 'missed') house.hub.missed();
  });
  return replica;
}

/** Puts the bounds of a host before a handler: on who is inside already and, where there is one, on the rate. */
function admission({ rateLimit, limits, log }: Host, { counters }: Store): (handler: Handler) => Handler {
  const requests = new Crowd();
  if (rateLimit === undefined) return (handler) => crowdLimited(handler, limits, requests);
  const bucket = { capacity: rateLimit.burst, refillPerSecond: rateLimit.perSecond };
  const take = (name: string) => counters.take(name, bucket);
  return (handler) => rateLimited(crowdLimited(handler, limits, requests), { take, log });
}
