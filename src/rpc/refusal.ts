import type { JsonObject } from '../model/json.ts';

const REFUSED = -32600;
const BROKEN = -32603;

/** An error response without an id, for a request that was refused before it was read. */
export function refusalText(message: string, data: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', error: { code: REFUSED, message, data } });
}

/** An error response without an id, for a failure that is nobody's business but the log's. */
export function failureText(errorId: string): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    error: { code: BROKEN, message: 'Internal error', data: { code: 'E_INTERNAL', errorId } },
  });
}
