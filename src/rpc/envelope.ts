import { Fault } from '../model/fault.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { WireId } from '../model/peer.ts';

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: Json;
}

export type Envelope =
  | { kind: 'request'; id: WireId; method: string; params: JsonObject }
  | { kind: 'notification'; method: string; params: JsonObject }
  | { kind: 'result'; id: WireId; result: JsonObject }
  | { kind: 'error'; id: WireId | undefined; error: RpcError }
  | { kind: 'malformed'; id: WireId | undefined; fault: Fault };

const NO_PARAMS: JsonObject = Object.freeze({});

/** Sorts one JSON value into exactly one JSON-RPC 2.0 shape; it never throws. */
export function readEnvelope(value: Json): Envelope {
  if (!isObject(value)) return malformed(undefined, 'A message must be a JSON object');
  const { id, method, params } = value;
  const echo = isWireId(id) ? id : undefined;
  if (value['jsonrpc'] !== '2.0') return malformed(echo, 'Member "jsonrpc" must be "2.0"');
  if (method === undefined) return readReply(value, echo);
  if (typeof method !== 'string') return malformed(echo, 'Member "method" must be a string');
  if (id === undefined) return { kind: 'notification', method, params: isObject(params) ? params : NO_PARAMS };
  if (echo === undefined) return malformed(undefined, `Member "id" must be an integer or a string of ${ID_SAID}`);
  if (params === undefined) return { kind: 'request', id: echo, method, params: NO_PARAMS };
  if (!isObject(params)) return badParams(echo, params);
  return { kind: 'request', id: echo, method, params };
}

/** Most bytes of an id: it is kept and echoed, and names nothing but a request. */
export const LONGEST_ID = 256;
const ID_SAID = `at most ${LONGEST_ID} bytes`;

/** A short string, or an integer that survives being read and written again. */
export function isWireId(value: Json | undefined): value is WireId {
  if (typeof value === 'string') return value.length * 3 <= LONGEST_ID || Buffer.byteLength(value) <= LONGEST_ID;
  return typeof value === 'number' && Number.isSafeInteger(value);
}

function readReply(value: JsonObject, id: WireId | undefined): Envelope {
  const { result, error } = value;
  if (result !== undefined && error !== undefined) {
    return malformed(undefined, 'A response may not have both "result" and "error"');
  }
  if (isRpcError(error)) return { kind: 'error', id, error };
  if (id !== undefined && isObject(result)) return { kind: 'result', id, result };
  return malformed(id, 'A message needs a "method", or a "result" or "error" of the right shape');
}

function isRpcError(error: Json | undefined): error is JsonObject & RpcError {
  return isObject(error) && Number.isInteger(error['code']) && typeof error['message'] === 'string';
}

// JSON-RPC allows an array here, MCP does not: the first is a wrong message, the second a message with wrong params.
function badParams(id: WireId, params: Json): Envelope {
  if (!Array.isArray(params)) return malformed(id, 'Member "params" must be an object');
  return { kind: 'malformed', id, fault: new Fault('E_BAD_PARAMS', 'Member "params" must be an object, not an array') };
}

function malformed(id: WireId | undefined, reason: string): Envelope {
  return { kind: 'malformed', id, fault: new Fault('E_BAD_MESSAGE', `Invalid request: ${reason}`) };
}
