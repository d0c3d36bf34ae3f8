import type { Incoming } from '../dialects/dialect.ts';
import type { Eventually } from '../model/json.ts';
import type { Principal, WireId } from '../model/peer.ts';
import type { Patch } from './session-record.ts';
import type { Resumed } from './standing.ts';

/** Where messages go that no reply carries; `about` names the request they belong to. */
export type Outlet = (text: string, about?: WireId) => void;

/** What a peer says of something that is not here: it answers a question, or wants a request no more. */
export type Stray =
  | Extract<Incoming, { kind: 'result' | 'error' }>
  | { readonly kind: 'cancelled'; readonly id: WireId };

/** What a conversation is told of its place. Its methods are called on it, so that an object may hold many. */
export interface ConversationOptions {
  /** Names the conversation in the log. */
  readonly name?: string | undefined;
  /** Names the session or connection, where there is one. */
  readonly session?: string | undefined;
  readonly outlet: Outlet;
  readonly principal?: Principal | undefined;
  /** Several requests share the way out, so an ended subscription is also cancelled by name. */
  readonly shared?: boolean;
  /** The peer cannot be asked, since its answers would find no way back. */
  readonly mute?: boolean;
  /** Where the peer stands already. */
  readonly resumed?: Resumed | undefined;
  /** What stood beside the request under a name, such as an HTTP header; `null` when it could not be read. */
  readonly beside?: ((name: string) => string | null | undefined) | undefined;
  /** Begins the ids of questions. */
  readonly mark?: string | undefined;
  /** False: somebody else tells the session of changes. */
  readonly home?: boolean;
  /** Lets the client of a request go for now; it comes back for the answer. */
  release?(about: WireId): void;
  /** Whether somebody reads what belongs to no request; always, where it is not said. */
  reachable?(): boolean;
  /** Keeps a change that a session must remember, before it holds. */
  keep?(patch: Patch): Eventually<void>;
  /** Takes what the peer says of something that is not here. */
  forward?(stray: Stray): Eventually<void>;
}
