import type { JsonObject } from '../../../model/json.ts';
import { LOG_LEVELS, type LogLevel, type WatchFilter } from '../../../model/peer.ts';
import type { Row } from '../revision.ts';
import { readObject, wrong } from './read.ts';
import { TASKS_EXTENSION } from './tasks-extension.ts';

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
  needs: ({ filter }) => (filter.tasks === undefined ? undefined : { extensions: { [TASKS_EXTENSION]: {} } }),
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

const NAMES = [
  ['uris', 'resourceSubscriptions'],
  ['tasks', 'taskIds'],
] as const;

export function readFilter(wire: JsonObject): WatchFilter {
  const filter: WatchFilter = {};
  for (const [list, member] of LISTS) {
    const wanted = wire[member];
    if (wanted !== undefined && typeof wanted !== 'boolean') throw wrong(`notifications.${member}`, 'a boolean');
    if (wanted === true) filter[list] = true;
  }
  for (const [names, member] of NAMES) {
    const wanted = readNames(wire, member);
    if (wanted.length > 0) filter[names] = wanted;
  }
  return filter;
}

function readNames(wire: JsonObject, member: string): string[] {
  const { [member]: names = [] } = wire;
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names;
  throw wrong(`notifications.${member}`, 'an array of strings');
}

export function writeFilter(filter: WatchFilter): JsonObject {
  const wire: JsonObject = {};
  for (const [list, member] of LISTS) if (filter[list] === true) wire[member] = true;
  for (const [names, member] of NAMES) {
    const wanted = filter[names];
    if (wanted !== undefined && wanted.length > 0) wire[member] = wanted;
  }
  return wire;
}
