import { Fault } from '../model/fault.ts';
import type { Implementation } from '../model/items.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { WireId } from '../model/peer.ts';
import { isWireId } from '../rpc/envelope.ts';
import { action } from './action.ts';
import { createBare } from './bare.ts';
import type { Dialect } from './dialect.ts';
import { badClaim, CAPABILITIES_KEY, checkClaim, claimOf, REVISION_KEY } from './mcp/claim.ts';
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
  /** The revisions a request may claim for itself. */
  readonly claimable: readonly string[];
  open(message: Json, footing: Footing): Opening;
}

export interface SpeakerOptions {
  readonly revisions: readonly Revision[];
  readonly server: Implementation;
  /** Recognise the newline-delimited action protocol. */
  readonly actions?: boolean;
  /** Serve JSON-RPC without a handshake, in the bare shape. */
  readonly bare?: boolean;
}

/** Builds one speaker per revision at start-up; opening a message is then a few look-ups. */
export function createSpeakers({ revisions, server, actions = true, bare = false }: SpeakerOptions): Speakers {
  const spoken = revisions.map((revision) => ({ id: revision.id, dialect: createMcp(revision, server) }));
  const modern = new Map(spoken.filter(({ dialect }) => dialect.opens === 'every-request').map(({ id, dialect }) => [id, dialect]));
  const legacy = new Map(spoken.filter(({ dialect }) => dialect.opens === 'handshake').map(({ id, dialect }) => [id, dialect]));
  const claimable = [...modern.keys()];
  const newestModern = [...modern.values()][0];
  const newestLegacy = [...legacy.values()][0];
  const unopened = [...legacy.values()].at(-1) ?? newestModern;
  if (unopened === undefined) throw new TypeError('Cannot speak: no protocol revision is configured');
  const first = bare ? createBare(unopened) : unopened;

  function claimed(message: JsonObject, claim: Json): Opening {
    const speaker = newestModern ?? (unopened as Dialect);
    try {
      checkClaim((message['params'] as JsonObject)['_meta'] as JsonObject);
    } catch (error) {
      return refuse(speaker, message, Fault.from(error));
    }
    const dialect = modern.get(claim as string);
    return dialect === undefined ? refuse(speaker, message, unsupported(claim as string, claimable)) : { how: 'spoken', dialect };
  }

  function handshake(message: JsonObject, { pinned }: Footing): Opening {
    if (pinned !== undefined) {
      return refuse(pinned, message, new Fault('E_ALREADY_INITIALIZED', 'Invalid request: this connection is already initialized'));
    }
    if (newestLegacy === undefined) {
      const wanted = String(asked(message));
      return refuse(newestModern as Dialect, message, unsupported(wanted, claimable));
    }
    return { how: 'handshake', dialect: legacy.get(asked(message) as string) ?? newestLegacy };
  }

  function unclaimed(message: JsonObject, { pinned }: Footing): Opening {
    if (pinned !== undefined) return { how: 'spoken', dialect: pinned };
    if (message['method'] === 'server/discover' && newestModern !== undefined) {
      return refuse(newestModern, message, badClaim([REVISION_KEY, CAPABILITIES_KEY]));
    }
    return bare ? { how: 'spoken', dialect: first } : { how: 'unopened', dialect: first };
  }

  return {
    first,
    claimable,
    open(message, footing) {
      if (Array.isArray(message)) return openArray(message, footing);
      if (!isObject(message)) return { how: 'spoken', dialect: footing.voice };
      if (actions && message['jsonrpc'] === undefined && isAction(message, footing)) return { how: 'spoken', dialect: action };
      const claim = claimOf(message);
      if (claim !== undefined) return claimed(message, claim);
      if (message['method'] === 'initialize' && isWireId(message['id'])) return handshake(message, footing);
      return unclaimed(message, footing);
    },
  };
}

function isAction(message: JsonObject, { voice }: Footing): boolean {
  if (voice === action) return true;
  return message['type'] !== undefined && message['method'] === undefined;
}

function openArray(messages: readonly Json[], { pinned, voice }: Footing): Opening {
  if (voice === action && pinned === undefined) return { how: 'spoken', dialect: voice };
  const dialect = pinned ?? voice;
  const modern = messages.some((message) => isObject(message) && claimOf(message) !== undefined);
  if (pinned?.batches === true && messages.length > 0 && !modern) return { how: 'batch', dialect, messages };
  const reason = messages.length === 0 ? 'an empty batch' : 'a batch, which this connection does not take: send one message at a time';
  return { how: 'refused', dialect, id: undefined, fault: new Fault('E_BATCH', `Invalid request: ${reason}`) };
}

function asked({ params }: JsonObject): Json | undefined {
  return isObject(params) ? params['protocolVersion'] : undefined;
}

function refuse(dialect: Dialect, { id, method, jsonrpc }: JsonObject, fault: Fault): Opening {
  // A notification is never answered, and what is no JSON-RPC message is the dialect's to refuse.
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !isWireId(id)) return { how: 'spoken', dialect };
  return { how: 'refused', dialect, id, fault };
}

function unsupported(requested: string, supported: readonly string[]): Fault {
  return new Fault('E_UNSUPPORTED_REVISION', `Unsupported protocol version: "${requested}"`, {
    data: { supported: [...supported], requested },
  });
}
