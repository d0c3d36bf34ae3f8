import type { Json } from '../model/json.ts';
import type { LogLevel, Principal } from '../model/peer.ts';
import { digest } from './seal.ts';
import type { Resumed } from './standing.ts';

/** A session as the store keeps it. */
export interface Kept {
  readonly memory: Resumed;
  /** The replica that tells the session of changes; empty where none does. */
  readonly home: string;
  /** Whether somebody reads the main stream, at the home. */
  readonly reading?: boolean;
  /** The last event of the main stream that a reader who has left was given. */
  readonly told?: number;
}

/** What changes about a session: every member that is there. */
export interface Patch {
  readonly level?: LogLevel;
  readonly watch?: string;
  readonly unwatch?: string;
  readonly ready?: true;
  readonly home?: string;
  readonly reading?: boolean;
  readonly told?: number;
}

/** The record after a change. Applying it twice changes nothing more. */
export function patched({ memory, ...kept }: Kept, patch: Patch): Kept {
  const { level, watch, unwatch, ready, ...rest } = patch;
  const watched = new Set(memory.watched);
  if (watch !== undefined) watched.add(watch);
  if (unwatch !== undefined) watched.delete(unwatch);
  return {
    ...kept,
    ...rest,
    memory: {
      ...memory,
      watched: [...watched],
      ...(level === undefined ? {} : { level }),
      ...(ready === undefined ? {} : { ready }),
    },
  };
}

/** Under which key a session of this principal is kept: nobody else's requests lead there. */
export function recordOf(id: string, principal: Principal | undefined): string {
  return `session/${principal === undefined ? '-' : digest(principal.id)}/${id}`;
}

/** A record as JSON, and back: the store brings back what JSON would. */
export function toJson(kept: Kept): Json {
  return kept as unknown as Json;
}

export function fromJson(value: Json): Kept {
  return value as unknown as Kept;
}
