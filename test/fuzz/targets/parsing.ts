import { action } from '../../../src/dialects/action.ts';
import { createBare } from '../../../src/dialects/bare.ts';
import type { Dialect } from '../../../src/dialects/dialect.ts';
import { createMcp } from '../../../src/dialects/mcp/mcp.ts';
import type { AnyNoticeRow, AnyRow, Codec, Revision } from '../../../src/dialects/mcp/revision.ts';
import { REVISIONS } from '../../../src/dialects/mcp/revisions.ts';
import { Fault } from '../../../src/model/fault.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import { isObject } from '../../../src/model/json.ts';
import { readEnvelope } from '../../../src/rpc/envelope.ts';
import { faultPosition } from '../../../src/rpc/json-position.ts';
import { parseMessage } from '../../../src/rpc/parse.ts';
import { ALL } from '../../scenarios/revisions.ts';
import { messagesOf } from '../messages.ts';
import { LineMaker } from '../mutate/lines.ts';
import { oddText } from '../mutate/values.ts';
import { hear } from '../oracle/answers.ts';
import { idOf, keyOf } from '../oracle/due.ts';
import { isText, member, type Node, parseJson } from '../oracle/json.ts';
import type { Random } from '../random.ts';
import { bytesTarget, isPolluted, tried } from '../simple.ts';
import { expect, shown, type Target } from '../target.ts';

// From bytes to operations: JSON, the envelope, and the words of every dialect.

const DEPTH = 64;
const STOCK: readonly Node[] = [...ALL, 'bare' as const, 'action' as const].flatMap(messagesOf);
const makeLine = (random: Random): Buffer => new LineMaker(STOCK, 4000).line(random);

/** A value in a form that can be compared: the last member of a name counts, in the order of names. */
function canonicalNode(node: Node): string {
  if (node.kind === 'array') return `[${node.items.map(canonicalNode).join()}]`;
  if (node.kind === 'string') return JSON.stringify(node.text);
  if (node.kind === 'raw') return /^[-0-9]/.test(node.text) ? numberText(Number(node.text)) : node.text;
  const names = [...new Set(node.members.map(([key]) => key))].sort();
  return `{${names.map((key) => `${JSON.stringify(key)}:${canonicalNode(member(node, key) as Node)}`).join()}}`;
}

function canonicalValue(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalValue).join()}]`;
  if (typeof value === 'number') return numberText(value);
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((key) => `${JSON.stringify(key)}:${canonicalValue(value[key] as Json)}`).join()}}`;
}

function numberText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

const json = bytesTarget({
  name: 'json',
  says: 'JSON and its limits, against a reader of our own',
  make: (random) => (random.once(3) ? Buffer.from(oddText(random)) : makeLine(random)),
  check: (input) => {
    const read = tried(() => parseMessage(input, { depth: DEPTH }), Fault);
    if (!isText(input)) return expect(codeOf(read) === 'E_PARSE', () => `not UTF-8, and read as ${shown(read)}`);
    const text = input.toString('utf8');
    const node = parseJson(text, DEPTH);
    if (node === 'wrong')
      expect(['E_PARSE', 'E_TOO_DEEP'].includes(codeOf(read)), () => `not JSON, read as ${shown(read)}`);
    else if (node === 'deep')
      expect(['E_TOO_DEEP', 'E_PARSE'].includes(codeOf(read)), () => `too deep, read as ${shown(read)}`);
    else {
      expect(!(read instanceof Error), () => `JSON that was refused: ${shown(codeOf(read))}`);
      expect(canonicalNode(node) === canonicalValue(read), () => `read as ${shown(read)}`);
    }
    const place = faultPosition(text);
    const whole = parseJson(text, 500);
    if (whole !== 'deep')
      expect((place === undefined) === (whole !== 'wrong'), () => `the fault is said to be at ${place}`);
    expect(place === undefined || (place >= 0 && place <= text.length), () => `a fault outside the text: ${place}`);
    expect(!isPolluted(), 'the prototype of all objects was changed');
  },
});

function codeOf(read: unknown): string {
  return read instanceof Fault ? read.code : '';
}

const envelope = bytesTarget({
  name: 'envelope',
  says: 'the JSON-RPC envelope: one shape for every value, and the id as it was',
  make: makeLine,
  check: (input) => {
    const node = isText(input) ? parseJson(input.toString('utf8'), 64) : 'wrong';
    if (typeof node === 'string') return;
    const read = readEnvelope(JSON.parse(input.toString('utf8')) as Json);
    const id = 'id' in read ? read.id : undefined;
    const due = idOf(member(node, 'id'));
    if (id !== undefined)
      expect(due !== undefined && keyOf(id) === keyOf(due), () => `id ${shown(id)}, not ${shown(due)}`);
    if (read.kind === 'request') expect(member(node, 'method')?.kind === 'string', 'a request without a method');
    if (read.kind === 'notification') expect(member(node, 'id') === undefined, 'a notification with an id');
  },
});

const SERVER = { name: 'fuzzed', version: '1.0.0' };
const DIALECTS: readonly Dialect[] = [
  ...REVISIONS.map((revision) => createMcp(revision, SERVER)),
  createBare(createMcp(REVISIONS.at(-1) as Revision, SERVER)),
  action,
];

const dialects = bytesTarget({
  name: 'dialects',
  says: 'reading and refusing in every dialect: never a throw, always well-formed',
  make: makeLine,
  check: (input) => {
    const node = isText(input) ? parseJson(input.toString('utf8'), 64) : 'wrong';
    if (typeof node === 'string') return;
    const value = JSON.parse(input.toString('utf8')) as Json;
    for (const dialect of DIALECTS) {
      const incoming = dialect.read(value);
      if (incoming.kind !== 'refused') continue;
      const heard = hear(dialect.fault(incoming.id, { fault: incoming.fault, errorId: 'abc' }));
      expect(heard.kind === (dialect === action ? 'action' : heard.kind), () => `refused as ${shown(heard)}`);
    }
    expect(!isPolluted(), 'the prototype of all objects was changed');
  },
});

/** What a codec wrote of what it read, it reads and writes the same again; what it does not know may get lost once. */
function goRound<T>(codec: Codec<T>, wire: JsonObject, says: string): void {
  const written = rewritten(codec, wire);
  if (written === undefined) return;
  const again = rewritten(codec, JSON.parse(written) as JsonObject);
  expect(again === written, () => `${says}: written ${shown(written)}, and then ${shown(again)}`);
}

function rewritten<T>(codec: Codec<T>, wire: JsonObject): string | undefined {
  const read = tried(() => codec.read(wire), Fault);
  return read instanceof Error ? undefined : JSON.stringify(codec.write(read));
}

const rows = bytesTarget({
  name: 'rows',
  says: 'every method, question and notice of every revision, there and back',
  make: makeLine,
  check: (input) => {
    const node = isText(input) ? parseJson(input.toString('utf8'), 64) : 'wrong';
    if (typeof node === 'string') return;
    const value = JSON.parse(input.toString('utf8')) as Json;
    const wires = isObject(value) ? [value, ...Object.values(value).filter((one) => isObject(one))] : [];
    for (const revision of REVISIONS) for (const wire of wires) checkRows(revision, wire as JsonObject);
  },
});

function checkRows({ id, methods, questions, hears, tells }: Revision, wire: JsonObject): void {
  for (const [method, row] of Object.entries(methods) as [string, AnyRow][]) {
    goRound(row.ask as Codec<unknown>, wire, `${id} ${method}`);
    tried(() => row.answer.read(wire), Fault);
  }
  for (const row of Object.values(questions)) {
    tried(() => row.ask.read(wire), Fault);
    tried(() => row.answer.read(wire), Fault);
  }
  for (const row of Object.values({ ...hears, ...tells }) as AnyNoticeRow[]) row.read(wire);
}

export const parsing: readonly Target[] = [json, envelope, dialects, rows];
