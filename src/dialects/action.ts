import { excerpt } from '../model/excerpt.ts';
import { Fault } from '../model/fault.ts';
import type { Tool, ToolResult } from '../model/items.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { WireId } from '../model/peer.ts';
import type { Answer, Operation, Verb } from '../model/verbs.ts';
import { type Issue, readInvoke, readRequest } from './action-issues.ts';
import type { Dialect, Incoming, Rider } from './dialect.ts';

/** Longest line of the action protocol, in bytes: its own documents call it 512 KB. */
export const ACTION_LIMIT = 524_288;

// The dialect's ids are optional strings, so an absent one needs a stand-in that no peer can send.
const NO_ID = -1;
const NO_RIDER: Rider = Object.freeze({ meta: Object.freeze({}) });

/** The newline-delimited "action" protocol: `list_actions` and `invoke`, one JSON reply a line, in order. */
export const action: Dialect = {
  name: 'action',
  opens: 'never',
  asksBy: 'never',
  pushes: 'never',
  tasksBy: 'never',
  batches: false,
  primes: false,
  ordered: true,
  mindsBlanks: true,
  limit: ACTION_LIMIT,
  read: readAction,
  named: () => undefined,
  mayAsk: () => false,
  defers: () => false,
  answer<V extends Verb>(id: WireId, { verb }: Operation<V>, answer: Answer<V>): string {
    if (verb === 'tools.list') return ok(id, (answer as Answer<'tools.list'>).tools.map(describe));
    const result = answer as ToolResult;
    return result.failed === true ? failed(id, { error: textOf(result) }) : ok(id, outputOf(result));
  },
  fault: (id, { fault, errorId }) => failed(id ?? NO_ID, { error: sayFault(fault, errorId), ...issuesOf(fault) }),
  tell: () => undefined,
  permit: unsayable,
  ask: unsayable,
  heard: unsayable,
  unanswered: unsayable,
  ended: unsayable,
};

function unsayable(): never {
  throw new Fault('E_CANNOT_ASK', 'Cannot ask the client: the action protocol has no questions');
}

function readAction(message: Json): Incoming {
  const request = readRequest(message);
  if (Array.isArray(request)) return refuse(undefined, 'Invalid request envelope', request);
  const id = request.id ?? NO_ID;
  if (request.type === 'list_actions') return call(id, { verb: 'tools.list', ask: {} });
  const invocation = readInvoke(request.payload);
  if (Array.isArray(invocation)) return refuse(id, 'Invalid invoke payload', invocation);
  return call(id, { verb: 'tools.call', ask: { name: invocation.action, input: invocation.input } });
}

function call(id: WireId, operation: Operation): Incoming {
  return { kind: 'call', id, operation, rider: NO_RIDER };
}

function refuse(id: WireId | undefined, message: string, issues: readonly Issue[]): Incoming {
  return {
    kind: 'refused',
    id,
    fault: new Fault('E_BAD_MESSAGE', message, { data: { issues: issues as unknown as Json } }),
  };
}

function describe({ name, title, description, inputSchema, outputSchema, _meta }: Tool): JsonObject {
  const contract = _meta?.['action'];
  if (isObject(contract)) return contract;
  return {
    action: name,
    ...(title === undefined ? {} : { title }),
    description: description ?? '',
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
}

/** What the tool said it returns, or its text as a value where it has no structure. */
function outputOf({ structured, content }: ToolResult): Json {
  if (structured !== undefined) return structured;
  return { content: content as unknown as Json };
}

function textOf({ content }: ToolResult): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

function sayFault({ code, message, data }: Fault, errorId: string): string {
  switch (code) {
    case 'E_PARSE':
    case 'E_TOO_DEEP':
      return 'Malformed JSON request';
    case 'E_TOO_LARGE':
      return 'Request exceeds maximum size (512 KB)';
    case 'E_UNKNOWN_TOOL':
      return `Unknown action: '${excerpt(String(data?.['name']))}'. Call list_actions to see available actions.`;
    case 'E_BAD_ARGUMENTS':
      return `Input validation failed for action '${excerpt(String(data?.['name']))}': ${[data?.['issues']].flat().join('; ')}`;
    case 'E_INTERNAL':
      return `${message} (error id ${errorId})`;
    default:
      return message;
  }
}

function issuesOf({ code, data }: Fault): { issues?: Json } {
  const issues = data?.['issues'];
  return code === 'E_BAD_MESSAGE' && Array.isArray(issues) ? { issues } : {};
}

function ok(id: WireId, data: Json): string {
  return JSON.stringify({ ...echo(id), ok: true, data });
}

function failed(id: WireId, trouble: JsonObject): string {
  return JSON.stringify({ ...echo(id), ok: false, ...trouble });
}

function echo(id: WireId): JsonObject {
  return typeof id === 'string' ? { id } : {};
}
