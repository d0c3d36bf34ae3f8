import { type Node, nodeOf } from '../oracle/json.ts';
import type { Random } from '../random.ts';

// What mutations put in the place of other things.

const HALF = '"\\ud800"';
const nested = (depth: number, open: string, close: string): string => open.repeat(depth) + close.repeat(depth);

/** Scalars that are JSON but seldom what is expected. */
const SCALARS: readonly string[] = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '1.0',
  '1e2',
  '1.5',
  '-1',
  '9007199254740991',
  '9007199254740992',
  '-9007199254740993',
  '123456789012345678901234567890',
  '1e308',
  '1e309',
  '-1e400',
  '5e-324',
  '""',
  '" "',
  '"2.0"',
  '"1"',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ufeff"',
  HALF,
  '"\\udc00x"',
  '"\\ud83d\\ude00"',
  '"\u2028\u2029"',
  '"\u202e\u200b"',
  '"é\u0301\u{1f600}"',
  '"__proto__"',
  '"constructor"',
  '"toString"',
  '"../../etc/passwd"',
  '"%2e%2e%2f"',
  '"$HOME"',
  '"\\n\\r\\t"',
  '"\\u007f\\u0080"',
];

/** Things that hold others. */
const HOLDERS: readonly string[] = [
  '{}',
  '[]',
  '[null]',
  '[[]]',
  '[{}]',
  '{"":""}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"toString":1,"valueOf":2,"hasOwnProperty":3}',
  '{"toJSON":{}}',
  '{"then":{}}',
  '{"length":4294967296}',
  '{"a":1,"a":2}',
];

/** Things that are not JSON at all. */
const BROKEN: readonly string[] = [
  '',
  'undefined',
  'NaN',
  'Infinity',
  '-Infinity',
  '01',
  '+1',
  '.5',
  '1.',
  '0x10',
  '1_000',
  "'a'",
  '"a',
  '"\\x41"',
  '"\\u12"',
  '"\t"',
  '{a:1}',
  '{"a":1,}',
  '[1,]',
  '/*c*/1',
  '1//c',
  '\u00a01',
  'nul',
  'True',
];

const METHOD_NAMES: readonly string[] = [
  'ping',
  'initialize',
  'initialized',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'server/discover',
  'subscriptions/listen',
  'tasks/get',
  'tasks/result',
  'tasks/list',
  'tasks/cancel',
  'tasks/update',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
  'sampling/createMessage',
  'roots/list',
  'Tools/List',
  'tools/list ',
  'tools//list',
  'rpc.discover',
  '__proto__',
  'constructor',
  'hasOwnProperty',
];

const REVISION_NAMES: readonly string[] = [
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
  '2026-07-28',
  '2099-01-01',
  '1.0',
  '',
  'DRAFT-2026-v1',
];

export const KEYS: readonly string[] = [
  'jsonrpc',
  'id',
  'method',
  'params',
  'result',
  'error',
  'type',
  'payload',
  '_meta',
  'progressToken',
  'cursor',
  'uri',
  'name',
  'arguments',
  'protocolVersion',
  'capabilities',
  'clientInfo',
  'io.modelcontextprotocol/protocolVersion',
  'io.modelcontextprotocol/clientCapabilities',
  'io.modelcontextprotocol/logLevel',
  'inputResponses',
  'requestState',
  'requestId',
  'task',
  '__proto__',
  'constructor',
  'JSONRPC',
  'Id',
  'i\u0000d',
  '',
];

/** A text for a place where any value may stand, as it would be written. */
export function oddText(random: Random): string {
  switch (random.below(12)) {
    case 0:
      return random.pick(BROKEN);
    case 1:
    case 2:
      return random.pick(HOLDERS);
    case 3:
      return JSON.stringify(random.pick(METHOD_NAMES));
    case 4:
      return JSON.stringify(random.pick(REVISION_NAMES));
    case 5:
      return bulky(random);
    case 6:
      return JSON.stringify(String.fromCharCode(random.below(0xffff)));
    default:
      return random.pick(SCALARS);
  }
}

/** Something deep, wide or long. */
function bulky(random: Random): string {
  const size = random.pick([2, 62, 63, 64, 65, 66, 70, 300]);
  switch (random.below(8)) {
    case 0:
      return nested(size, '[', ']');
    case 1:
      return `${'{"a":'.repeat(size)}1${'}'.repeat(size)}`;
    case 2:
      return `[${'0,'.repeat(size)}0]`;
    case 3:
      return `{${Array.from({ length: size }, (_, at) => `"k${at}":${at}`).join()}}`;
    case 4:
      return `"${'x'.repeat(random.below(2000))}"`;
    case 5:
      return `"${'\\u0041'.repeat(size)}"`;
    case 6:
      return '9'.repeat(size);
    default:
      return `"${'[{'.repeat(size)}"`;
  }
}

/** The same as a node. */
export function oddNode(random: Random): Node {
  return { kind: 'raw', text: oddText(random) };
}

/** A node from a list of good ones, to be put where it does not belong. */
export function strayNode(random: Random, messages: readonly Node[]): Node {
  let node = random.pick(messages);
  for (let steps = random.below(4); steps > 0; steps -= 1) {
    const inside =
      node.kind === 'object' ? node.members.map(([, value]) => value) : node.kind === 'array' ? node.items : [];
    if (inside.length === 0) break;
    node = random.pick(inside);
  }
  return node;
}

/** Ids of every kind; most are new, so that answers can be told apart. */
export function idNode(random: Random, fresh: () => number): Node {
  const number = fresh();
  switch (random.below(10)) {
    case 0:
      return nodeOf(`id-${number}`);
    case 1:
      return { kind: 'raw', text: `${number}.0` };
    case 2:
      return nodeOf(random.below(4));
    case 3:
      return nodeOf(`\ud83d\ude00\u0000"\\/${number}`);
    default:
      return nodeOf(number);
  }
}
