import type { Json } from '../model/json.ts';
import type { Log } from '../model/log.ts';
import { requireBounds, requireTake, requireWhole } from './arguments.ts';
import { freeze } from './freeze.ts';
import { Asking } from './relay/asking.ts';
import type { Port } from './relay/words.ts';
import type { AppendOptions, Counters, Inboxes, Logs, Records, Store, Topics } from './store.ts';

// Arguments are checked on this side: what is no number would not come over the channel as what it is.

function recordsOver(asking: Asking): Records {
  return {
    async get(key, prolongMs) {
      if (prolongMs !== undefined) requireWhole('prolongMs', prolongMs);
      return asking.ask('get', key, prolongMs);
    },
    async put(key, value, options) {
      requireWhole('ttlMs', options.ttlMs);
      if (options.ifVersion !== undefined) requireWhole('ifVersion', options.ifVersion, 0);
      return asking.ask('put', key, [copy(value), options]);
    },
    async touch(key, ttlMs) {
      requireWhole('ttlMs', ttlMs);
      return asking.ask('touch', key, ttlMs);
    },
    remove: (key) => asking.ask('remove', key),
    async list(prefix, options) {
      requireWhole('limit', options.limit);
      return asking.ask('list', prefix, options);
    },
  };
}

function logsOver(asking: Asking): Logs {
  const write = (verb: string) => async (log: string, text: string, options: AppendOptions) => {
    requireBounds(options);
    return asking.ask<number | undefined>(verb, log, [text, options]);
  };
  return {
    append: write('append'),
    end: write('end'),
    async read(log, after, limit = Number.MAX_SAFE_INTEGER) {
      requireWhole('after', after, 0);
      requireWhole('limit', limit);
      return asking.ask('read', log, [after, limit]);
    },
    async touch(log, ttlMs) {
      requireWhole('ttlMs', ttlMs);
      return asking.ask('touchLog', log, ttlMs);
    },
    remove: (log) => asking.ask('removeLog', log),
    follow: (log, wake, missed = wake) => asking.stand('follow', log, { hear: () => wake(), missed }),
  };
}

/** What is said is bundled and sent a moment later, so it is copied before its owner can change it. */
const copy = (value: Json): Json =>
  typeof value === 'object' && value !== null ? (JSON.parse(JSON.stringify(value)) as Json) : value;

function topicsOver(asking: Asking): Topics {
  return {
    publish: (topic, message) => asking.ask('publish', topic, copy(message)),
    subscribe: (topic, listener, missed) =>
      asking.stand('subscribe', topic, {
        hear: (message) => listener(freeze(message)),
        ...(missed === undefined ? {} : { missed }),
      }),
  };
}

function countersOver(asking: Asking): Counters {
  return {
    async take(key, options) {
      requireTake(options);
      return asking.ask('take', key, options);
    },
  };
}

function inboxesOver(asking: Asking): Inboxes {
  return {
    send: (inbox, message) => asking.ask('send', inbox, copy(message)),
    open: (inbox, listener) => asking.stand('open', inbox, { hear: (message) => listener(freeze(message)) }),
  };
}

/** Uses a store that another process keeps and serves with `serveStore`. */
export function createRelayStore(port: Port, log: Log): Store {
  const asking = new Asking(port, (error) => log('error', 'Store listener failed', { error }));
  return {
    records: recordsOver(asking),
    logs: logsOver(asking),
    topics: topicsOver(asking),
    counters: countersOver(asking),
    inboxes: inboxesOver(asking),
    shared: true,
    lasting: true,
    awake: () => asking.awake,
    close: () => asking.close(),
  };
}
