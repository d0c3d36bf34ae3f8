import type { JsonObject } from '../../../model/json.ts';
import { LOG_LEVELS, type LogLevel, type WatchFilter } from '../../../model/peer.ts';
import type { Row } from '../revision.ts';
import { readObject, wrong } from './read.ts';

export const setLevel: Row<'log.level'> = {
  verb: 'log.level',
  ask: {
    read: (wire) => ({ level: readLevel(wire, 'level') }),
    write: ({ level }) => ({ level }),
  },
  answer: { read: () => ({}), write: () => ({}) },
};

export function readLevel(wire: JsonObject, member: string): LogLevel {
  const level = wire[member];
  if (!LOG_LEVELS.includes(level as LogLevel)) throw wrong(member, `one of ${LOG_LEVELS.join(', ')}`);
  return level as LogLevel;
}

/** Opens a subscription; what is honoured travels in the acknowledgement, so the answer itself is empty. */
export const listen: Row<'listen'> = {
  verb: 'listen',
  ends: true,
  ask: {
    read: (wire) => ({ filter: readFilter(readObject(wire, 'notifications')) }),
    write: ({ filter }) => ({ notifications: writeFilter(filter) }),
  },
  answer: { read: () => ({ filter: {} }), write: () => ({}) },
};

const LISTS = [
  ['tools', 'toolsListChanged'],
  ['prompts', 'promptsListChanged'],
  ['resources', 'resourcesListChanged'],
] as const;

export function readFilter(wire: JsonObject): WatchFilter {
  const filter: WatchFilter = {};
  for (const [list, member] of LISTS) {
    const wanted = wire[member];
    if (wanted !== undefined && typeof wanted !== 'boolean') throw wrong(`notifications.${member}`, 'a boolean');
    if (wanted === true) filter[list] = true;
  }
  const uris = wire['resourceSubscriptions'];
  if (uris === undefined) return filter;
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) {
    throw wrong('notifications.resourceSubscriptions', 'an array of strings');
  }
  return uris.length === 0 ? filter : { ...filter, uris };
}

export function writeFilter(filter: WatchFilter): JsonObject {
  const wire: JsonObject = {};
  for (const [list, member] of LISTS) if (filter[list] === true) wire[member] = true;
  if (filter.uris !== undefined && filter.uris.length > 0) wire['resourceSubscriptions'] = filter.uris;
  return wire;
}
