import type { Dialect } from '../dialects/dialect.ts';
import { badClaim, CAPABILITIES_KEY, claimOf, unsupported } from '../dialects/mcp/claim.ts';
import { excerpt } from '../model/excerpt.ts';
import { Fault } from '../model/fault.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { WireId } from '../model/peer.ts';
import { isWireId } from '../rpc/envelope.ts';
import type { House } from './house.ts';
import { tooEarly } from './refusals.ts';
import { type Reply, tellFault } from './trouble.ts';

/** What stood beside a message: in HTTP, its headers. */
export interface Said {
  readonly revision: string | undefined;
  readonly method: string | undefined;
  /** Already decoded; `null` when it could not be. */
  readonly name: string | null | undefined;
  /** Whether the message names a session. */
  readonly session: boolean;
}

/** Where a message belongs that came on its own and not through a pipe. */
export type Verdict =
  /** It says everything about itself: no session is read or written. */
  | { how: 'alone' }
  /** It opens a session. */
  | { how: 'opening' }
  /** It belongs to the session it names. */
  | { how: 'session' }
  /** It is of the handshake era, and comes without a session. */
  | { how: 'sessionless'; revision: string }
  /** Nobody waits for it and nobody needs it. */
  | { how: 'ignored' }
  | { how: 'refused'; reply: Reply };

// One object for all: every request has a verdict.
const ALONE: Verdict = Object.freeze({ how: 'alone' });
const IN_SESSION: Verdict = Object.freeze({ how: 'session' });

/** Sorts messages that arrive one by one, by what they say and by what stands beside them. */
// spec 2026-07-28 basic/versioning, basic/transports/streamable-http
export class Door {
  readonly #house: House;

  constructor(house: House) {
    this.#house = house;
  }

  sort(message: Json, said: Said): Verdict {
    if (Array.isArray(message)) return this.#sortBatch(message, said);
    if (!isObject(message)) return this.#sessionless(said);
    const claim = claimOf(message);
    const { id, method } = message;
    if (method === undefined) return this.#sortAnswer(message, said);
    if (id === undefined) return this.#sortNotice(message, said);
    if (claim !== undefined) return this.#sortClaimed(message, claim, said);
    return method === 'initialize' ? this.#sortOpening(message, said) : this.#sortUnclaimed(message, said);
  }

  /** Whether a revision is spoken here at all. */
  knows(revision: string): boolean {
    return this.#house.speakers.find(revision) !== undefined;
  }

  /** The refusal of something that never became a message. */
  refuse(fault: Fault, said: Said): Reply {
    const dialect = said.revision === undefined ? undefined : this.#house.speakers.find(said.revision);
    return tellFault(this.#house.log, { dialect: dialect ?? this.#house.speakers.first, id: undefined, fault });
  }

  /** The refusal of a revision that is not spoken here. */
  refuseRevision(revision: string): Reply {
    const fault = unsupported(revision, this.#house.speakers.claimable);
    return tellFault(this.#house.log, { dialect: this.#modern, id: undefined, fault });
  }

  #sortBatch(messages: readonly Json[], said: Said): Verdict {
    const claimed = messages.some((message) => isObject(message) && claimOf(message) !== undefined);
    const named = said.session ? undefined : said.revision;
    const dialect = named === undefined ? undefined : this.#house.speakers.find(named);
    if (claimed || dialect?.opens === 'every-request') {
      return this.#refuse(this.#modern, undefined, new Fault('E_BATCH', 'Invalid request: send one message at a time'));
    }
    if (named !== undefined && dialect === undefined) return { how: 'refused', reply: this.refuseRevision(named) };
    if (said.session) return { how: 'session' };
    return this.#house.speakers.sessionless
      ? this.#sessionless(said)
      : this.#refuse(this.#speaker(said), undefined, tooEarly());
  }

  #sortNotice({ jsonrpc, method }: JsonObject, said: Said): Verdict {
    if (said.session) return { how: 'session' };
    // What only looks like a notification is refused like everything that is no message.
    return jsonrpc === '2.0' && typeof method === 'string' ? { how: 'ignored' } : this.#sessionless(said);
  }

  #sortAnswer({ result, error }: JsonObject, said: Said): Verdict {
    if (said.session) return { how: 'session' };
    if (result === undefined && error === undefined) return this.#sessionless(said);
    const fault = new Fault('E_BAD_MESSAGE', 'Invalid request: a response needs the session it answers in');
    return this.#refuse(this.#speaker(said), undefined, fault);
  }

  #sortClaimed(message: JsonObject, claim: Json, said: Said): Verdict {
    const modern = this.#modern;
    const id = idOf(message);
    // What a claim lacks, and a revision nobody can claim, the stateless conversation refuses in its own words.
    if (typeof claim !== 'string' || !declares(message)) return ALONE;
    const dialect = this.#house.speakers.find(claim);
    if (dialect?.opens === 'handshake') return ALONE;
    if (said.revision !== claim) return this.#refuse(modern, id, mismatch('MCP-Protocol-Version', claim));
    if (dialect === undefined) return ALONE;
    const { method } = message;
    if (said.method !== method) return this.#refuse(dialect, id, mismatch('Mcp-Method', String(method)));
    const name = nameOf(dialect, message);
    return name === undefined || said.name === name ? ALONE : this.#refuse(dialect, id, mismatch('Mcp-Name', name));
  }

  #sortOpening(message: JsonObject, said: Said): Verdict {
    const dialect = said.revision === undefined ? undefined : this.#house.speakers.find(said.revision);
    if (dialect?.opens === 'every-request') {
      return this.#refuse(dialect, idOf(message), mismatch('MCP-Protocol-Version', 'a revision with a handshake'));
    }
    return said.session ? { how: 'session' } : { how: 'opening' };
  }

  #sortUnclaimed(message: JsonObject, said: Said): Verdict {
    if (said.session) return IN_SESSION;
    const { revision } = said;
    const dialect = revision === undefined ? undefined : this.#house.speakers.find(revision);
    // Unclaimed where a claim is due: the stateless conversation says which keys are missing.
    if (dialect?.opens === 'every-request') return this.#refuse(dialect, idOf(message), badClaim());
    if (revision !== undefined && dialect === undefined)
      return this.#refuse(this.#modern, idOf(message), unsupported(revision, this.#house.speakers.claimable));
    if (!this.#house.speakers.sessionless && message['method'] !== 'ping')
      return this.#refuse(this.#speaker(said), idOf(message), tooEarly());
    return this.#sessionless(said);
  }

  #sessionless(said: Said): Verdict {
    const dialect = this.#speaker(said);
    return { how: 'sessionless', revision: dialect.revision ?? '' };
  }

  /** Who answers a peer of the handshake era that has no session. */
  #speaker({ revision }: Said): Dialect {
    const { speakers } = this.#house;
    const dialect = revision === undefined ? undefined : speakers.find(revision);
    return dialect?.opens === 'handshake' ? dialect : speakers.assumed;
  }

  get #modern(): Dialect {
    const { modern, assumed } = this.#house.speakers;
    return modern ?? assumed;
  }

  #refuse(dialect: Dialect, id: WireId | undefined, fault: Fault): Verdict {
    return { how: 'refused', reply: tellFault(this.#house.log, { dialect, id, fault }) };
  }
}

function idOf({ id }: JsonObject): WireId | undefined {
  return isWireId(id) ? id : undefined;
}

/** Whether a request that claims a revision says what its client can do. */
function declares({ params }: JsonObject): boolean {
  return isObject(((params as JsonObject)['_meta'] as JsonObject)[CAPABILITIES_KEY]);
}

function nameOf(dialect: Dialect, { method, params }: JsonObject): string | undefined {
  const member = dialect.named(String(method));
  const name = member === undefined || !isObject(params) ? undefined : params[member];
  return typeof name === 'string' ? name : undefined;
}

function mismatch(header: string, expected: string): Fault {
  return new Fault(
    'E_HEADER_MISMATCH',
    `Header mismatch: "${header}" must be "${excerpt(expected)}", as the message says`,
    {
      data: { header },
    },
  );
}
