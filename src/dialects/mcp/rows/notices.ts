import { isObject, type JsonObject } from '../../../model/json.ts';
import { type ListName, LOG_LEVELS, type LogLevel, type WireId } from '../../../model/peer.ts';
import type { NoticeRow } from '../revision.ts';
import { readFilter, writeFilter } from './listening.ts';

// A notice that cannot be read is `undefined`: nobody answers a notice, so nobody can be told it was wrong.

export function progress(says: { message: boolean }): NoticeRow<'progress'> {
  return {
    kind: 'progress',
    says,
    write({ token, done, total, message }) {
      const wire: JsonObject = { progressToken: token, progress: done };
      if (total !== undefined) wire['total'] = total;
      if (message !== undefined && says.message) wire['message'] = message;
      return wire;
    },
    read({ progressToken: token, progress: done, total, message }) {
      if (!isToken(token) || typeof done !== 'number') return undefined;
      return {
        kind: 'progress',
        token,
        done,
        ...(typeof total === 'number' ? { total } : {}),
        ...(typeof message === 'string' ? { message } : {}),
      };
    },
  };
}

export const logMessage: NoticeRow<'log'> = {
  kind: 'log',
  write: ({ level, data, logger }) => ({ level, ...(logger === undefined ? {} : { logger }), data }),
  read({ level, data, logger }) {
    if (!LOG_LEVELS.includes(level as LogLevel) || data === undefined) return undefined;
    return { kind: 'log', level: level as LogLevel, data, ...(typeof logger === 'string' ? { logger } : {}) };
  },
};

export function listChanged(list: ListName): NoticeRow<'changed'> {
  return {
    kind: 'changed',
    says: { list },
    write: (notice) => (notice.list === list ? {} : undefined),
    read: () => ({ kind: 'changed', list }),
  };
}

export const resourceUpdated: NoticeRow<'updated'> = {
  kind: 'updated',
  write: ({ uri }) => ({ uri }),
  read: ({ uri }) => (typeof uri === 'string' ? { kind: 'updated', uri } : undefined),
};

export const cancelled: NoticeRow<'cancelled'> = {
  kind: 'cancelled',
  write: ({ id, reason }) => ({ requestId: id, ...(reason === undefined ? {} : { reason }) }),
  read({ requestId: id, reason }) {
    if (!isToken(id)) return undefined;
    return { kind: 'cancelled', id, ...(typeof reason === 'string' ? { reason } : {}) };
  },
};

export const listening: NoticeRow<'listening'> = {
  kind: 'listening',
  write: ({ filter }) => ({ notifications: writeFilter(filter) }),
  read: ({ notifications }) =>
    isObject(notifications) ? { kind: 'listening', filter: readFilter(notifications) } : undefined,
};

export const elicitationComplete: NoticeRow<'elicited'> = {
  kind: 'elicited',
  write: ({ elicitation }) => ({ elicitationId: elicitation }),
  read: ({ elicitationId }) =>
    typeof elicitationId === 'string' ? { kind: 'elicited', elicitation: elicitationId } : undefined,
};

export const initialized: NoticeRow<'ready'> = { kind: 'ready', write: () => ({}), read: () => ({ kind: 'ready' }) };

export const rootsChanged: NoticeRow<'rootsChanged'> = {
  kind: 'rootsChanged',
  write: () => ({}),
  read: () => ({ kind: 'rootsChanged' }),
};

function isToken(value: JsonObject[string]): value is WireId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}
