import { Fault } from '../model/fault.ts';
import type { Implementation } from '../model/items.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { WireId } from '../model/peer.ts';
import { isWireId } from '../rpc/envelope.ts';
import { action } from './action.ts';
import { isActionType } from './action-issues.ts';
import { createBare } from './bare.ts';
import type { Dialect } from './dialect.ts';
import { badClaim, checkClaim, claimOf, unsupported } from './mcp/claim.ts';
import { createMcp } from './mcp/mcp.ts';
import type { Revision } from './mcp/revision.ts';

/** How a message is to be taken: in which dialect, and on what footing. */
export type Opening =
  | { how: 'spoken'; dialect: Dialect }
  | { how: 'handshake'; dialect: Dialect }
  /** No handshake yet and no claim: only what is allowed before one may pass. */
  | { how: 'unopened'; dialect: Dialect }
  | { how: 'batch'; dialect: Dialect; messages: readonly Json[] }
  | { how: 'refused'; dialect: Dialect; id: WireId | undefined; fault: Fault };

/** What a conversation already knows of its peer. */
export interface Footing {
  /** The dialect a handshake pinned. */
  readonly pinned: Dialect | undefined;
  /** The dialect that answers what cannot be understood. */
  readonly voice: Dialect;
}

export interface Speakers {
  /** The dialect of a peer that has said nothing yet. */
  readonly first: Dialect;
  /** The dialect that answers such a peer when it cannot be understood. */
  readonly voice: Dialect;
  /** The revisions a request may claim for itself. */
  readonly claimable: readonly string[];
  /** The newest dialect whose requests speak for themselves. */
  readonly modern: Dialect | undefined;
  /** The dialect of a peer that speaks without a session and does not say which revision. */
  readonly assumed: Dialect;
  /** Whether a peer of the handshake era is served that has no session. */
  readonly sessionless: boolean;
  /** The dialect of a revision, by the revision's name. */
  find(revision: string): Dialect | undefined;
  open(message: Json, footing: Footing): Opening;
}

export interface SpeakerOptions {
  readonly revisions: readonly Revision[];
  readonly server: Implementation;
  /** Recognise the newline-delimited action protocol. */
  readonly actions?: boolean;
  /** Serve JSON-RPC without a handshake, in the bare shape. */
  readonly bare?: boolean;
  /** Who answers what a new peer says and nobody understands: JSON-RPC unless said otherwise. */
  readonly voice?: 'action';
  /**
   * Whom a peer without a session is taken for that names no revision: one of the last that had no header for it, or of
   * the first. `nobody`: it must open a session, whatever it names.
   */
  readonly assumes?: 'oldest' | 'nobody';
}

/** Builds one speaker per revision at start-up; opening a message is then a few look-ups. */
export function createSpeakers(options: SpeakerOptions): Speakers {
  return new RevisionSpeakers(options);
}

type Era = Dialect['opens'];

class RevisionSpeakers implements Speakers {
  readonly first: Dialect;
  readonly voice: Dialect;
  readonly claimable: readonly string[];
  readonly assumed: Dialect;
  readonly sessionless: boolean;
  readonly modern: Dialect | undefined;
  readonly #actions: boolean;
  readonly #bare: boolean;
  readonly #claimed: ReadonlyMap<string, Dialect>;
  readonly #shaken: ReadonlyMap<string, Dialect>;
  readonly #newestShaken: Dialect | undefined;

  constructor({ revisions, server, actions = true, bare = false, voice, assumes }: SpeakerOptions) {
    const spoken = revisions.map((revision) => [revision.id, createMcp(revision, server)] as const);
    const ofEra = (era: Era): Map<string, Dialect> => new Map(spoken.filter(([, { opens }]) => opens === era));
    this.#actions = actions;
    this.#bare = bare;
    this.#claimed = ofEra('every-request');
    this.#shaken = ofEra('handshake');
    this.claimable = [...this.#claimed.keys()];
    [this.modern] = this.#claimed.values();
    [this.#newestShaken] = this.#shaken.values();
    const unopened = [...this.#shaken.values()].at(-1) ?? this.modern;
    if (unopened === undefined) throw new TypeError('Cannot speak: no protocol revision is configured');
    this.first = bare ? createBare(unopened) : unopened;
    this.voice = actions && voice === 'action' ? action : this.first;
    const assumed = revisions.find(({ opens, declares }) => opens === 'handshake' && !declares);
    this.sessionless = assumes !== 'nobody';
    this.assumed = (assumes === 'oldest' ? undefined : this.#shaken.get(assumed?.id ?? '')) ?? unopened;
  }

  find(revision: string): Dialect | undefined {
    return this.#claimed.get(revision) ?? this.#shaken.get(revision);
  }

  open(message: Json, footing: Footing): Opening {
    if (Array.isArray(message)) return openArray(message, footing);
    if (!isObject(message)) return { how: 'spoken', dialect: footing.voice };
    if (this.#actions && message['jsonrpc'] === undefined && isAction(message, footing))
      return { how: 'spoken', dialect: action };
    const claim = claimOf(message);
    if (claim !== undefined) return this.#openClaimed(message, claim);
    if (message['method'] === 'initialize' && isWireId(message['id'])) return this.#openHandshake(message, footing);
    return this.#openUnclaimed(message, footing);
  }

  #openClaimed(message: JsonObject, claim: Json): Opening {
    const speaker = this.modern ?? this.first;
    try {
      checkClaim((message['params'] as JsonObject)['_meta'] as JsonObject);
    } catch (error) {
      return refuse(speaker, message, Fault.from(error));
    }
    const dialect = this.#claimed.get(claim as string);
    return dialect === undefined
      ? refuse(speaker, message, unsupported(claim, this.claimable))
      : { how: 'spoken', dialect };
  }

  #openHandshake(message: JsonObject, { pinned }: Footing): Opening {
    if (pinned !== undefined) {
      const reason = 'Invalid request: this connection is already initialized';
      return refuse(pinned, message, new Fault('E_ALREADY_INITIALIZED', reason));
    }
    const { params } = message;
    const asked = isObject(params) ? params['protocolVersion'] : undefined;
    const dialect = this.#shaken.get(asked as string) ?? this.#newestShaken;
    return dialect === undefined
      ? refuse(this.first, message, unsupported(asked, this.claimable))
      : { how: 'handshake', dialect };
  }

  #openUnclaimed(message: JsonObject, { pinned, voice }: Footing): Opening {
    if (pinned !== undefined) return { how: 'spoken', dialect: pinned };
    // What cannot be answered under its own id is refused in the words the peer has heard so far.
    if (voice.opens !== 'never' && !isRequest(message)) return { how: 'unopened', dialect: voice };
    if (message['method'] === 'server/discover' && this.modern !== undefined) {
      return refuse(this.modern, message, badClaim());
    }
    return { how: this.#bare ? 'spoken' : 'unopened', dialect: this.first };
  }
}

function isAction({ type, method }: JsonObject, { pinned, voice }: Footing): boolean {
  if (voice === action) return true;
  if (type === undefined || method !== undefined) return false;
  // A peer known to speak MCP is answered in it, unless it says exactly what an action says.
  const known = pinned !== undefined || voice.opens === 'every-request';
  return !known || isActionType(type);
}

function openArray(messages: readonly Json[], { pinned, voice }: Footing): Opening {
  if (voice === action && pinned === undefined) return { how: 'spoken', dialect: voice };
  const dialect = pinned ?? voice;
  const modern = messages.some((message) => isObject(message) && claimOf(message) !== undefined);
  if (pinned?.batches === true && messages.length > 0 && !modern) return { how: 'batch', dialect, messages };
  const reason =
    messages.length === 0
      ? 'an empty batch'
      : 'a batch, which this connection does not take: send one message at a time';
  return { how: 'refused', dialect, id: undefined, fault: new Fault('E_BATCH', `Invalid request: ${reason}`) };
}

function refuse(dialect: Dialect, message: JsonObject, fault: Fault): Opening {
  // A notification is never answered, and what is no JSON-RPC message is the dialect's to refuse.
  return isRequest(message) ? { how: 'refused', dialect, id: message.id, fault } : { how: 'spoken', dialect };
}

function isRequest(message: JsonObject): message is JsonObject & { id: WireId } {
  return message['jsonrpc'] === '2.0' && typeof message['method'] === 'string' && isWireId(message['id']);
}
