import { FAULTS, type FaultCode } from '../../model/fault-codes.ts';
import type { ToolResult } from '../../model/items.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Trouble } from '../dialect.ts';
import type { Revision } from './revision.ts';

const CODE_KEY = 'parley-mcp/code';
const ERROR_ID_KEY = 'parley-mcp/errorId';
const RETRY_KEY = 'parley-mcp/retryAfterMs';
/** Faults that only the log explains. */
const LOGGED: ReadonlySet<FaultCode> = new Set(['E_INTERNAL', 'E_TOOL_CRASHED']);

/** Whether a fault is the failure of a tool, which the model should read, and not of the request. */
export function isToolFailure({ fault, verb }: Trouble): boolean {
  return verb === 'tools.call' && FAULTS[fault.code].ofTool;
}

/** The result that tells a model what went wrong, in the words of the wire. */
export function failure(trouble: Trouble): JsonObject {
  const { failed: isError, ...result } = failureOf(trouble);
  return { ...(result as unknown as JsonObject), isError };
}

/** The result that tells a model what went wrong. */
export function failureOf({ fault, errorId }: Pick<Trouble, 'fault' | 'errorId'>): ToolResult & { failed: true } {
  const retry = fault.data?.['retryAfterMs'];
  const text = LOGGED.has(fault.code) ? `${fault.message} (error id ${errorId})` : fault.message;
  return {
    content: [{ type: 'text', text }],
    failed: true,
    _meta: {
      [CODE_KEY]: fault.code,
      [ERROR_ID_KEY]: errorId,
      ...(retry === undefined ? {} : { [RETRY_KEY]: retry }),
    },
  };
}

/** The JSON-RPC error a revision has for a fault. */
export function errorOf({ codes }: Revision, { fault, errorId }: Trouble): JsonObject {
  return { code: codes[fault.kind], message: fault.message, data: { ...fault.data, code: fault.code, errorId } };
}
