import { type Ground, METHODS, type Nameless, namelessIn, type Tongue } from './ground.ts';
import { isText, member, type Node, parseJson } from './json.ts';

// How many answers a line is due, and under which name: decided from its bytes alone, by rules written down here once more.

export type Id = string | number;

export type Due =
  | { readonly kind: 'none' }
  /** One error that names no request. */
  | { readonly kind: 'nameless'; readonly codes: readonly number[]; readonly shape: Nameless }
  /** One answer under this id; an error with one of these codes, where they are known. */
  | { readonly kind: 'named'; readonly id: Id; readonly codes?: readonly number[]; readonly optional?: boolean }
  | { readonly kind: 'batch'; readonly parts: readonly Due[] }
  /** One line of the action protocol; `refused` when it cannot be a success. */
  | { readonly kind: 'action'; readonly id: string | undefined; readonly refused: boolean };

const PARSE = -32700;
const BAD = -32600;
const UNKNOWN = -32601;
const PARAMS = -32602;
const NONE: Due = { kind: 'none' };
const CLAIM = 'io.modelcontextprotocol/protocolVersion';
const OPENERS = new Set(['initialize', 'server/discover']);
const BLANK = /^[ \t\r]*$/;

/** What is due to one line, its newline left off. */
export function dueTo(line: Buffer, ground: Ground): Due {
  const { speaks } = ground;
  const bytes = line.at(-1) === 13 ? line.subarray(0, -1) : line;
  if (bytes.length > ground.messageBytes) return unreadable(speaks, [BAD]);
  if (BLANK.test(bytes.toString('latin1'))) return speaks === 'action' ? refusedAction() : NONE;
  if (!isText(bytes)) return unreadable(speaks, [PARSE]);
  const node = parseJson(bytes.toString('utf8'), ground.jsonDepth);
  // What is nested too deep may be broken further on as well: either is said.
  if (node === 'deep') return unreadable(speaks, [BAD, PARSE]);
  if (node === 'wrong') return unreadable(speaks, /[[{]/.test(bytes.toString('latin1')) ? [PARSE, BAD] : [PARSE]);
  return dueToValue(node, ground);
}

function unreadable(speaks: Tongue, codes: readonly number[]): Due {
  return speaks === 'action' ? refusedAction() : { kind: 'nameless', codes, shape: namelessIn(speaks) };
}

function refusedAction(): Due {
  return { kind: 'action', id: undefined, refused: true };
}

function dueToValue(node: Node, ground: Ground): Due {
  const { speaks } = ground;
  if (node.kind === 'array') return dueToBatch(node.items, ground);
  if (node.kind !== 'object') return unreadable(speaks, [BAD]);
  if (isAction(node, speaks)) return dueToAction(node);
  if (claims(node)) return dueToEnvelope(node, { shape: 'absent' });
  const methods = METHODS[speaks];
  return dueToEnvelope(node, { shape: namelessIn(speaks), methods });
}

function dueToBatch(items: readonly Node[], ground: Ground): Due {
  const refused = unreadable(ground.speaks, [BAD]);
  if (ground.speaks !== '2025-03-26' || items.length === 0 || items.length > ground.batchLength) return refused;
  if (items.some(claims)) return refused;
  const parts = items.map((item) => dueToPart(item)).filter(({ kind }) => kind !== 'none');
  return parts.length === 0 ? NONE : { kind: 'batch', parts };
}

function dueToPart(item: Node): Due {
  if (item.kind !== 'object') return { kind: 'nameless', codes: [BAD], shape: 'null' };
  return dueToEnvelope(item, { shape: 'null' });
}

/** Whether a message claims a revision for itself. */
export function claims(node: Node): boolean {
  return member(member(member(node, 'params'), '_meta'), CLAIM) !== undefined;
}

function isAction(node: Node, speaks: Tongue): boolean {
  if (member(node, 'jsonrpc') !== undefined) return false;
  if (speaks === 'action') return true;
  const type = member(node, 'type');
  if (type === undefined || member(node, 'method') !== undefined) return false;
  return speaks === 'bare' || isActionType(type);
}

function isActionType(type: Node | undefined): boolean {
  return type?.kind === 'string' && (type.text === 'list_actions' || type.text === 'invoke');
}

function dueToAction(node: Node): Due {
  const id = member(node, 'id');
  const named = id === undefined || id.kind === 'string';
  if (!named || !isActionType(member(node, 'type'))) return refusedAction();
  return { kind: 'action', id: id?.kind === 'string' ? id.text : undefined, refused: false };
}

interface Rules {
  readonly shape: Nameless;
  /** The methods there are, where that is known. */
  readonly methods?: ReadonlySet<string> | undefined;
}

function dueToEnvelope(node: Node, rules: Rules): Due {
  const id = idOf(member(node, 'id'));
  const refused = (named: Id | undefined): Due =>
    named === undefined
      ? { kind: 'nameless', codes: [BAD], shape: rules.shape }
      : { kind: 'named', id: named, codes: [BAD] };
  if (!isString(member(node, 'jsonrpc'), '2.0')) return refused(id);
  const method = member(node, 'method');
  if (method === undefined) return dueToReply(node, id, refused);
  if (method.kind !== 'string') return refused(id);
  if (member(node, 'id') === undefined) return NONE;
  if (id === undefined) return refused(undefined);
  return dueToRequest(method.text, id, { params: member(node, 'params'), methods: rules.methods });
}

interface Asked {
  readonly params: Node | undefined;
  readonly methods: Rules['methods'];
}

function dueToRequest(method: string, id: Id, { params, methods }: Asked): Due {
  const refused = (...codes: number[]): Due => ({ kind: 'named', id, codes });
  // A handshake that comes too late, or a claim that is missing, is said before the params are looked at.
  if (OPENERS.has(method) && params?.kind !== 'object') return refused(BAD, PARAMS, UNKNOWN);
  if (params?.kind === 'array') return refused(PARAMS);
  if (params !== undefined && params.kind !== 'object') return refused(BAD);
  if (methods?.has(method) === false) return refused(UNKNOWN);
  // A subscription is answered when it ends, and one that is cancelled never.
  return { kind: 'named', id, ...(method === 'subscriptions/listen' ? { optional: true } : {}) };
}

function dueToReply(node: Node, id: Id | undefined, refused: (named: Id | undefined) => Due): Due {
  const result = member(node, 'result');
  const error = member(node, 'error');
  if (result !== undefined && error !== undefined) return refused(undefined);
  if (isError(error)) return NONE;
  return id !== undefined && result?.kind === 'object' ? NONE : refused(id);
}

function isError(error: Node | undefined): boolean {
  const code = member(error, 'code');
  return code?.kind === 'raw' && Number.isInteger(numberOf(code.text)) && member(error, 'message')?.kind === 'string';
}

function isString(node: Node | undefined, text: string): boolean {
  return node?.kind === 'string' && node.text === text;
}

function numberOf(text: string): number {
  return /^[-0-9]/.test(text) ? Number(text) : Number.NaN;
}

/** Most bytes of an id that is said back. */
const LONGEST_ID = 256;

/** An id that can be said back: a short string, or a whole number that is the same after it was read and written. */
export function idOf(node: Node | undefined): Id | undefined {
  if (node?.kind === 'string') return Buffer.byteLength(node.text) <= LONGEST_ID ? node.text : undefined;
  if (node?.kind !== 'raw') return undefined;
  const number = numberOf(node.text);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** Names an id so that `1` and `"1"` differ, and `-0` and `0` do not. */
export function keyOf(id: Id): string {
  return typeof id === 'string' ? `"${id}` : `#${id + 0}`;
}

/** The ids a line takes back: what was asked under them may stay without an answer. */
export function takenBackBy(line: Buffer, jsonDepth: number): readonly string[] {
  if (!line.includes('cancelled') && !line.includes('\\u')) return [];
  const node = parseJson(line.toString('utf8'), jsonDepth);
  if (typeof node === 'string') return [];
  const parts = node.kind === 'array' ? node.items : [node];
  return parts.flatMap((part) => {
    const id = idOf(member(member(part, 'params'), 'requestId'));
    return id === undefined ? [] : [keyOf(id)];
  });
}

/** Whether a line may open a handshake, after which everything is answered differently. */
export function mayOpen(line: Buffer, jsonDepth: number): boolean {
  if (!line.includes('initi') && !line.includes('\\u')) return false;
  const node = parseJson(line.toString('utf8'), jsonDepth);
  return typeof node !== 'string' && isString(member(node, 'method'), 'initialize');
}
