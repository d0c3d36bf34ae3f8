import type { Log } from '../model/log.ts';
import { type RedisAddress, readAddress } from './redis/address.ts';
import { Channels, RedisTopics } from './redis/channels.ts';
import { RedisCounters } from './redis/counters.ts';
import { dials, type RedisModule } from './redis/dial.ts';
import { RedisInboxes } from './redis/inboxes.ts';
import { Keys } from './redis/keys.ts';
import { Link } from './redis/link.ts';
import { RedisLogs } from './redis/logs.ts';
import { Outage } from './redis/outage.ts';
import { RedisRecords } from './redis/records.ts';
import { codeOf } from './redis/trouble.ts';
import { INBOX_TTL_MS, type Store, StoreError } from './store.ts';
import { unloaded } from './unloaded.ts';

// A handshake takes several answers, and an address that must be looked up.
const LEAST_DIAL_MS = 3000;
const BEAT_MS = INBOX_TTL_MS / 5;

async function loadClient(): Promise<RedisModule> {
  try {
    return (await import('@redis/client')) as unknown as RedisModule;
  } catch (cause) {
    throw unloaded('@redis/client', cause);
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at its host and port',
  ENOTFOUND: 'its host has no address',
  EAI_AGAIN: 'the address of its host cannot be asked for now',
  WRONGPASS: 'user or password are wrong',
  NOAUTH: 'it wants a password',
  NOPERM: 'the user may not run the commands needed',
  ERR: 'it refused the first commands: check database number and password',
};

/** Says why Redis cannot be opened, without a word of the URL. */
function unopened(error: unknown): StoreError {
  const code = codeOf(error);
  const advice = ADVICE[code];
  const reason = advice === undefined ? code : `${advice} (${code})`;
  return new StoreError('away', `Cannot open store: Redis cannot be used: ${reason}`, { cause: error });
}

interface Parts {
  readonly commands: Link;
  readonly hearing: Link;
  readonly channels: Channels;
  readonly keys: Keys;
  readonly inboxes: RedisInboxes;
}

function build(module: RedisModule, { timeoutMs, prefix, ...address }: RedisAddress, log: Log): Parts {
  const dial = dials(module, { timeoutMs, prefix, ...address });
  const options = { outage: new Outage(log), timeoutMs, dialMs: Math.max(timeoutMs, LEAST_DIAL_MS) };
  const commands = new Link({
    ...options,
    dial: dial.commands,
    prepare: async () => {},
    back: () => inboxes.renew(),
  });
  const hearing = new Link({
    ...options,
    dial: dial.hearing,
    prepare: (wire) => channels.prepare(wire),
    back: () => channels.miss(),
  });
  const channels = new Channels(hearing, () => commands.up, log);
  const keys = new Keys(commands, prefix);
  const inboxes = new RedisInboxes(keys, channels, log);
  return { commands, hearing, channels, keys, inboxes };
}

/** Keeps everything in Redis, for as many processes as like to share it. */
export async function createRedisStore(url: string, log: Log): Promise<Store> {
  const address = readAddress(url);
  const { commands, hearing, channels, keys, inboxes } = build(await loadClient(), address, log);
  const links = [commands, hearing];
  try {
    await Promise.all(links.map((link) => link.open()));
  } catch (error) {
    await Promise.all(links.map((link) => link.close()));
    throw unopened(error);
  }
  // Holds the inboxes, and notices a connection that has gone silent also where nobody asks for anything.
  const beat = setInterval(() => {
    inboxes.renew();
    for (const link of links) link.use((wire) => wire.sendTo(0, ['PING'])).catch(() => {});
  }, BEAT_MS).unref();
  let closing: Promise<void> | undefined;
  const close = async () => {
    clearInterval(beat);
    channels.clear();
    await inboxes.clear();
    await Promise.all(links.map((link) => link.close()));
  };
  return {
    records: new RedisRecords(keys),
    logs: new RedisLogs(keys, channels),
    topics: new RedisTopics(keys, channels),
    counters: new RedisCounters(keys),
    inboxes,
    shared: true,
    lasting: true,
    awake: () => links.every(({ up }) => up),
    close() {
      closing ??= close();
      return closing;
    },
  };
}
