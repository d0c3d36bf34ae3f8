import type { JsonObject } from '../model/json.ts';

const REFUSED = -32600;
const BROKEN = -32603;
/** For what would be answered at another time; outside the range JSON-RPC keeps for itself. */
export const LIMITED = -31001;

/** An error response without an id, for a request that was refused before it was read. */
export function refusalText(message: string, data: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', error: { code: REFUSED, message, data } });
}

/** An error response without an id, for a request that may come again later. */
export function limitedText(message: string, data: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', error: { code: LIMITED, message, data } });
}

/** An error response without an id, for a failure that is nobody's business but the log's. */
export function failureText(errorId: string): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    error: { code: BROKEN, message: 'Internal error', data: { code: 'E_INTERNAL', errorId } },
  });
}
