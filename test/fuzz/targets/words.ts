import { aliasesOf, longForm, nameIn, resolveName } from '../../../src/catalog/namespace.ts';
import { paginate } from '../../../src/catalog/page.ts';
import { createTemplate } from '../../../src/catalog/template.ts';
import { readVariables } from '../../../src/host/variables.ts';
import { Fault } from '../../../src/model/fault.ts';
import { evaluate } from '../../../src/providers/packs/calculator/expression.ts';
import { ArithmeticTrouble } from '../../../src/providers/packs/calculator/numbers.ts';
import { validate } from '../../../src/providers/packs/lisp/interpreter.ts';
import { decodeHeader, encodeHeader } from '../../../src/rpc/header-value.ts';
import { readEventId } from '../../../src/sessions/stream.ts';
import { accepted, isJson, mediaType } from '../../../src/transports/http/headers.ts';
import type { Random } from '../random.ts';
import { oddWords, tried, valueTarget } from '../simple.ts';
import { expect, shown, type Target } from '../target.ts';

// Small languages: header values, media types, cursors, URI templates, names, sums and Lisp.

const headers = valueTarget<string>({
  name: 'header-values',
  says: 'header values there and back, and garbage in',
  make: (random) => oddWords(random, ['=?base64?', '?=', 'aGk=', 'tools/call', '\x7f', '\x80']),
  check: (text) => {
    if (typeof text !== 'string') return;
    const sent = encodeHeader(text);
    expect(/^[\t\x20-\x7e]*$/.test(sent), () => `written as ${shown(sent)}`);
    expect(
      decodeHeader(sent) === Buffer.from(text).toString('utf8'),
      () => `written ${shown(sent)}, read ${shown(decodeHeader(sent))}`,
    );
    const read = decodeHeader(text);
    if (read !== undefined)
      expect(decodeHeader(encodeHeader(read)) === read, () => `read as ${shown(read)}, and then differently`);
  },
});

const MEDIA = [
  'application/json',
  'text/event-stream',
  '*/*',
  'application/*',
  ';q=0',
  ';q=1',
  ';charset=utf-8',
  ', ',
  'text/',
];

const media = valueTarget<string>({
  name: 'media-types',
  says: 'Accept and Content-Type: no throw, and no other type taken for JSON',
  make: (random) => oddWords(random, MEDIA),
  check: (text) => {
    if (typeof text !== 'string') return;
    const bare = text
      .split(';')[0]
      ?.replace(/^[ \t]+|[ \t]+$/g, '')
      .toLowerCase();
    expect(isJson(text) === (bare === 'application/json'), () => `taken for JSON: ${isJson(text)}`);
    mediaType(text);
    const { json, events } = accepted(text);
    if (json) expect(/json|\*/i.test(text) || text === '', 'JSON is accepted, and was not named');
    if (events) expect(/event-stream|\*/i.test(text) || text === '', 'events are accepted, and were not named');
  },
});

interface Paged {
  items: string[];
  size: number;
  cursor: string;
}

const cursors = valueTarget<Paged>({
  name: 'cursors',
  says: 'pages: all items once, and no page behind a cursor nobody gave',
  make: (random) => ({
    items: Array.from({ length: random.small(12) }, (_, at) => `${at}${oddWords(random, [], 2)}`),
    size: 1 + random.small(4),
    cursor: random.once(2)
      ? oddWords(random)
      : Buffer.from(`tools:${random.below(9)}:${oddWords(random)}`).toString('base64url'),
  }),
  check: ({ items, size, cursor }) => {
    if (!Array.isArray(items) || !Number.isSafeInteger(size) || size < 1) return;
    const pages = paginate(items, { kind: 'tools', size, keyOf: String, page: (some, next) => ({ some, next }) });
    const seen: string[] = [];
    const given = new Set<string | undefined>();
    for (let next: string | undefined, first = true; first || next !== undefined; first = false) {
      given.add(next);
      const page = pages.pageOf(next);
      seen.push(...page.some);
      next = page.next;
    }
    expect(JSON.stringify(seen) === JSON.stringify(items), () => `pages of ${shown(seen)}`);
    for (const forged of [cursor, ...[...given].map((one) => `${one}=`)]) {
      const page = tried(() => pages.pageOf(forged), Fault);
      expect(page instanceof Fault || given.has(forged), () => `a page behind ${shown(forged)}`);
    }
  },
});

interface Templated {
  template: string;
  uri: string;
  values: Record<string, string>;
}

const TEMPLATE = [
  '{a}',
  '{+a}',
  '{#a}',
  '{.a}',
  '{/a}',
  '{;a}',
  '{?a,b}',
  '{&b}',
  '{a:3}',
  '{/a*}',
  '{b*}',
  'test://',
  '/',
  'x',
  '%41',
  '{',
  '}',
];
/** Templates that can be read in one way only. */
const CLEAR = ['test://{a}', 'test://{a}/{b}', 'test://x/{a}{?b}', 'test://x{/a}/y/{b}', 'test://x{?a,b}'];

const templates = valueTarget<Templated>({
  name: 'uri-templates',
  says: 'URI templates of every form against every URI: no throw, no wait, and values that make the URI',
  make: (random) => ({
    template: random.once(3) ? random.pick(CLEAR) : `test://${oddWords(random, TEMPLATE, 8)}`,
    uri: random.once(8)
      ? `test://${'/a'.repeat(random.below(20_000))}`
      : `test://${oddWords(random, ['a=1', '/x', '%E2%82%AC', '%ff', ',', 'test:'])}`,
    values: { a: oddWords(random, ['x'], 4), b: oddWords(random, ['y'], 4) },
  }),
  check: ({ template, uri, values }) => {
    if (typeof template !== 'string' || typeof uri !== 'string') return;
    const made = tried(() => createTemplate(template), TypeError);
    if (made instanceof Error) return;
    made.match(uri);
    const written = tried(() => made.expand(values), URIError);
    if (written instanceof Error) return;
    const read = made.match(written);
    if (!CLEAR.includes(template)) return;
    // What a template wrote with values for all its variables it can read, and what it read makes the same again.
    const whole = made.variables.every((name) => typeof values[name] === 'string' && values[name] !== '');
    if (whole) expect(read !== undefined, () => `cannot read its own ${shown(written)}`);
    if (read !== undefined) expect(made.expand(read) === written, () => `wrote ${shown(written)}, read ${shown(read)}`);
  },
});

interface Named {
  one: [string[], string];
  other: [string[], string];
}

const NAMES = ['a', 'b', '_', '__', 'mcp', 'mcp__', '.', '-', 'tool', 'x'.repeat(30)];
const makeName = (random: Random): [string[], string] => [
  Array.from({ length: 1 + random.below(2) }, () => oddWords(random, NAMES, 3)),
  oddWords(random, NAMES, 4),
];

/** An underscore beside the separator makes it hard to tell where it is; a catalog refuses the second of such names. */
function isClear([spaces, name]: [string[], string]): boolean {
  return spaces.length > 0 && name !== '' && !/(?:^|\0)_|_\0/.test([...spaces, name].join('\0'));
}

const names = valueTarget<Named>({
  name: 'names',
  says: 'namespaces: two different tools never have one name',
  make: (random) => ({ one: makeName(random), other: makeName(random) }),
  check: ({ one, other }) => {
    if (!Array.isArray(one) || !Array.isArray(other)) return;
    const [first, second] = [one, other].map(([spaces, name]) => tried(() => nameIn(spaces, name), TypeError));
    for (const shownName of [first, second]) {
      if (typeof shownName !== 'string') continue;
      expect(shownName.length <= 64, () => `longer than clients take: ${shown(shownName)}`);
      for (const alias of [longForm(shownName), ...aliasesOf(shownName)]) {
        const meant = resolveName(alias);
        expect(
          meant === shownName || alias === shownName,
          () => `${shown(alias)} means ${shown(meant)}, not ${shown(shownName)}`,
        );
      }
    }
    if (typeof first !== 'string' || first !== second || !isClear(one) || !isClear(other)) return;
    expect(
      JSON.stringify(one) === JSON.stringify(other),
      () => `${shown(one)} and ${shown(other)} are both called ${shown(first)}`,
    );
  },
});

const LISP = [
  '(',
  ')',
  "'",
  '`',
  ',',
  ',@',
  '"',
  '|',
  '#',
  '#(',
  '#\\',
  '#|',
  '|#',
  ';',
  '#:',
  '#x',
  '#1=',
  '#1#',
  '. ',
  'nil',
  '1/0',
  '1e999',
  'a:b',
  '::',
  '#+',
  '#.',
];

const lisp = valueTarget<string>({
  name: 'lisp-reader',
  says: 'the Lisp reader: an answer for every text, and no throw',
  make: (random) =>
    random.once(20) ? random.pick(['(', "'", '#(', '`,']).repeat(random.below(50_000)) : oddWords(random, LISP, 30),
  check: (text) => {
    if (typeof text !== 'string') return;
    const { forms, error } = validate(text);
    expect(Number.isSafeInteger(forms) && forms >= 0, () => `${forms} forms`);
    expect(error === undefined || (typeof error === 'string' && error !== ''), () => `error ${shown(error)}`);
  },
});

const SUMS = [
  '1',
  '2.5',
  '+',
  '-',
  '*',
  '/',
  '^',
  '(',
  ')',
  'sin(',
  'pi',
  'e',
  '1e9',
  ' ',
  ',',
  '!',
  '%',
  'sqrt(',
  '0x1',
];

const sums = valueTarget<string>({
  name: 'calculator',
  says: 'sums: a number or a reason, and no throw but the reason',
  make: (random) =>
    random.once(20) ? random.pick(['(', '-', '2^', '1+']).repeat(random.below(20_000)) : oddWords(random, SUMS, 20),
  check: (text) => {
    if (typeof text !== 'string') return;
    const result = tried(() => evaluate(text), ArithmeticTrouble);
    if (!(result instanceof Error)) expect(Number.isFinite(result), () => `the result is ${shown(result)}`);
  },
});

const variables = valueTarget<Record<string, string>>({
  name: 'variables',
  says: 'the environment: whatever it holds, it is read',
  make: (random) => ({
    PARLEY_TOOLS: oddWords(random),
    HS_MCP_ENDPOINT: oddWords(random),
    PARLEY_LOG_FILE_BYTES: oddWords(random),
  }),
  check: (env) => {
    for (const value of Object.values(readVariables(env ?? {}))) expect(value !== '', 'an empty value counts as one');
  },
});

const events = valueTarget<string>({
  name: 'event-ids',
  says: 'ids of events a client comes back with: one of ours, or nothing',
  make: (random) => oddWords(random, ['a1', '.', '12', '.0', '00', 's.1']),
  check: (text) => {
    if (typeof text !== 'string') return;
    const read = readEventId(text);
    const [, stream, number] = /^([^.]*)\.([^.]*)$/.exec(text) ?? [];
    if (read === undefined) return expect(!/^[a-z0-9]{1,16}\.[0-9]{1,15}$/.test(text), 'an id of ours is not read');
    expect(read.stream === stream && read.event === Number(number), () => `read as ${shown(read)}`);
    expect(Number.isSafeInteger(read.event) && read.event >= 0, () => `read as ${shown(read)}`);
  },
});

export const words: readonly Target[] = [events, headers, media, cursors, templates, names, lisp, sums, variables];
