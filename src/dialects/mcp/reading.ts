import { excerpt } from '../../model/excerpt.ts';
import { Fault } from '../../model/fault.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { WireId } from '../../model/peer.ts';
import type { Ask, Operation, Verb } from '../../model/verbs.ts';
import { type Envelope, readEnvelope } from '../../rpc/envelope.ts';
import type { Incoming, Rider } from '../dialect.ts';
import { declares } from './asking.ts';
import { badClaim, LEVEL_KEY, REVISION_KEY, readPeer } from './claim.ts';
import type { Revision, Row } from './revision.ts';
import { readLevel } from './rows/listening.ts';
import { wrong } from './rows/read.ts';
import { undeclared } from './tasking.ts';

const NO_META: JsonObject = Object.freeze({});
const NO_RIDER: Rider = Object.freeze({ meta: NO_META });

/** Reads messages of one revision; what cannot be read comes out as a refusal. */
export function createReader(revision: Revision): (message: Json) => Incoming {
  const methods = new Map(Object.entries(revision.methods));
  const hears = new Map(Object.entries(revision.hears));
  const readRider = revision.opens === 'every-request' ? readModernRider : readMeta;

  function call({ id, method, params }: Extract<Envelope, { kind: 'request' }>): Incoming {
    const row = methods.get(method);
    if (row === undefined) return refused(id, new Fault('E_UNKNOWN_METHOD', `Method not found: "${excerpt(method)}"`));
    try {
      const operation = { verb: row.verb, ask: row.ask.read(params) } as Operation;
      const rider = readRider(params);
      const lacks = row.needs === undefined ? undefined : lackOf(row as Row<Verb>, operation.ask, rider);
      return { kind: 'call', id, operation, rider: lacks === undefined ? rider : { ...rider, lacks } };
    } catch (error) {
      return refused(id, Fault.from(error));
    }
  }

  return (message) => {
    const envelope = readEnvelope(message);
    switch (envelope.kind) {
      case 'request':
        return call(envelope);
      case 'notification':
        return { kind: 'notice', notice: hears.get(envelope.method)?.read(envelope.params) };
      case 'result':
        return { kind: 'result', id: envelope.id, result: envelope.result };
      case 'error':
        return { kind: 'error', id: envelope.id, message: envelope.error.message };
      case 'malformed':
        return refused(envelope.id, envelope.fault);
    }
  };
}

function lackOf({ needs }: Row<Verb>, ask: Ask<Verb>, { peer }: Rider): Fault | undefined {
  const needed = needs?.(ask);
  if (needed === undefined || peer === undefined || declares(peer.capabilities, needed)) return undefined;
  return undeclared(needed);
}

function readMeta(params: JsonObject): Rider {
  const meta = params['_meta'];
  if (meta === undefined) return NO_RIDER;
  if (!isObject(meta)) throw wrong('_meta', 'an object');
  const progress = meta['progressToken'];
  if (progress === undefined) return { meta };
  if (typeof progress !== 'string' && !Number.isSafeInteger(progress)) {
    throw wrong('_meta.progressToken', 'a string or an integer');
  }
  return { meta, progress: progress as WireId };
}

function readModernRider(params: JsonObject): Rider {
  const rider = readMeta(params);
  if (rider === NO_RIDER) throw badClaim([REVISION_KEY]);
  const { inputResponses: answers, requestState: state } = params;
  if (answers !== undefined && !isObject(answers)) throw wrong('inputResponses', 'an object of answers');
  if (state !== undefined && typeof state !== 'string') throw wrong('requestState', 'a string');
  const { meta, progress } = rider;
  // Built member by member, since every request comes by here and most have none of these.
  const whole: { -readonly [Key in keyof Rider]: Rider[Key] } = { meta, peer: readPeer(meta) };
  if (progress !== undefined) whole.progress = progress;
  if (meta[LEVEL_KEY] !== undefined) whole.level = readLevel(meta, LEVEL_KEY);
  if (answers !== undefined) whole.answers = answers;
  if (state !== undefined) whole.state = state;
  return whole;
}

function refused(id: WireId | undefined, fault: Fault): Incoming {
  return { kind: 'refused', id, fault };
}
