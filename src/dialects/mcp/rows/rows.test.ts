import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../../model/json.ts';
import { LOG_LEVELS, type Notice, type QuestionKind } from '../../../model/peer.ts';
import type { Verb } from '../../../model/verbs.ts';
import type { AnyNoticeRow, Codec, QuestionRow, Revision, Says } from '../revision.ts';
import { REVISIONS } from '../revisions.ts';

// What a row can say is drawn from what it says about itself, so a new revision is tested the day it is added.

type Drawn = fc.Arbitrary<unknown>;
interface Drawing {
  readonly ask: Drawn;
  readonly answer: Drawn;
}

const text = fc.string();
const uri = fc.webUrl();
const flag = fc.boolean();
const base64 = fc.base64String();
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const object = fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), json, { maxKeys: 4 });
const texts = fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), text, { maxKeys: 4 });
const wireId = fc.oneof(text, fc.maxSafeInteger());
const some = (items: Drawn): Drawn => fc.array(items as fc.Arbitrary<unknown>, { maxLength: 4 });
const nothing = fc.constant({});

/** An object with these members; those whose name ends in `?` may be missing. */
function record(members: Readonly<Record<string, Drawn>>): Drawn {
  const entries = Object.entries(members).map(([name, drawn]) => [name.replace('?', ''), drawn] as const);
  const requiredKeys = Object.keys(members).filter((name) => !name.endsWith('?'));
  return fc.record(Object.fromEntries(entries), { requiredKeys: requiredKeys as never });
}

const icon = record({ src: uri, 'mimeType?': text, 'sizes?': fc.array(text, { maxLength: 2 }) });
const role = fc.constantFrom('user', 'assistant');
const notes = record({
  'audience?': fc.array(role, { maxLength: 2 }),
  'priority?': fc.integer(),
  'lastModified?': text,
});

/** Members any item may have; a row names the ones it knows. */
const MEMBERS: Readonly<Record<string, Drawn>> = {
  title: text,
  description: text,
  mimeType: text,
  size: fc.nat(),
  annotations: notes,
  icons: fc.array(icon as fc.Arbitrary<object>, { maxLength: 2 }),
  execution: fc.constant({ taskSupport: 'forbidden' }),
  websiteUrl: uri,
  _meta: object,
};
const EVERY_MEMBER = Object.keys(MEMBERS);

function item(required: Readonly<Record<string, Drawn>>, fields: readonly string[]): Drawn {
  const known = fields.filter((name) => MEMBERS[name] !== undefined && required[name] === undefined);
  return record({ ...required, ...Object.fromEntries(known.map((name) => [`${name}?`, MEMBERS[name] as Drawn])) });
}

const implementation = (fields: readonly string[]): Drawn => item({ name: text, version: text }, fields);
const contents = (fields: readonly string[]): Drawn =>
  fc.oneof(
    item({ uri, text }, fields) as fc.Arbitrary<object>,
    item({ uri, blob: base64 }, fields) as fc.Arbitrary<object>,
  );

const block = { 'annotations?': notes, '_meta?': object };
const BLOCKS: Readonly<Record<string, Drawn>> = {
  text: record({ type: fc.constant('text'), text, ...block }),
  image: record({ type: fc.constant('image'), data: base64, mimeType: text, ...block }),
  audio: record({ type: fc.constant('audio'), data: base64, mimeType: text, ...block }),
  resource: record({ type: fc.constant('resource'), resource: contents(['mimeType']), ...block }),
  resource_link: item({ type: fc.constant('resource_link'), uri, name: text }, EVERY_MEMBER),
  tool_use: record({ type: fc.constant('tool_use'), id: text, name: text, input: object }),
  tool_result: record({ type: fc.constant('tool_result'), toolUseId: text, content: fc.constant([]) }),
};
const blocks = (types: readonly string[]): fc.Arbitrary<unknown> =>
  fc.oneof(...types.map((type) => BLOCKS[type] as fc.Arbitrary<unknown>));
const ANY_CONTENT = ['text', 'image', 'audio', 'resource', 'resource_link'];

const property = (booleans: boolean): Drawn =>
  booleans ? fc.oneof(object, flag) : fc.oneof(object, fc.constant({ type: 'string' }));
const objectSchema = (booleans: boolean): Drawn =>
  record({
    type: fc.constant('object'),
    'properties?': fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), property(booleans), { maxKeys: 3 }),
    'required?': some(text),
  });
const anySchema = fc.oneof(
  objectSchema(true) as fc.Arbitrary<object>,
  fc.constant({ type: 'array', items: { $ref: '#/$defs/x' }, $defs: { x: { type: 'string' } } }),
  fc.constant({ type: ['string', 'null'] }),
  fc.constant({ $id: 'urn:x', $ref: '#/$defs/y', $defs: { y: true } }),
  fc.constant({}),
);

const freshness = record({ ttlMs: fc.nat(), scope: fc.constantFrom('public', 'private') });
const page = (name: string, items: Drawn, { keeps = true }: Says): Drawn =>
  record({ [name]: some(items), 'next?': text, ...(keeps === true ? { fresh: freshness } : {}) });
const pageAsk = record({ 'cursor?': text });
const list = (value: unknown, otherwise: readonly string[]): readonly string[] =>
  Array.isArray(value) ? (value as string[]) : otherwise;

function tool({ fields, outputRoot, booleanProperties }: Says): Drawn {
  const known = list(fields, [...EVERY_MEMBER, 'outputSchema']);
  const output = outputRoot === 'object' ? objectSchema(false) : anySchema;
  const required = { name: text, inputSchema: objectSchema(booleanProperties !== false) };
  const base = item(required, known) as fc.Arbitrary<object>;
  if (!known.includes('outputSchema')) return base;
  return fc
    .tuple(base, fc.option(output as fc.Arbitrary<object>, { nil: undefined }))
    .map(([one, outputSchema]) => (outputSchema === undefined ? one : { ...one, outputSchema }));
}

const capabilities = (hidden: readonly string[]): Drawn =>
  fc.dictionary(
    fc.constantFrom(
      ...['tools', 'logging', 'completions', 'tasks', 'sse', 'x'].filter((name) => !hidden.includes(name)),
    ),
    object,
    { maxKeys: 4 },
  );

const prompt = ({ fields, argument }: Says): Drawn =>
  record({
    ...Object.fromEntries(
      list(fields, EVERY_MEMBER).flatMap((name) =>
        MEMBERS[name] === undefined ? [] : [[`${name}?`, MEMBERS[name] as Drawn]],
      ),
    ),
    name: text,
    'arguments?': some(
      record({
        name: text,
        ...(list(argument, ['title']).includes('title') ? { 'title?': text } : {}),
        'description?': text,
        'required?': flag,
      }),
    ),
  });

const filter = record({
  'tools?': fc.constant(true),
  'prompts?': fc.constant(true),
  'resources?': fc.constant(true),
  'uris?': fc.array(uri, { minLength: 1, maxLength: 3 }),
});

const result = ({ content, structured }: Says): Drawn =>
  record({
    content: some(blocks(list(content, ANY_CONTENT))),
    ...(structured === 'none' ? {} : { 'structured?': structured === 'object' ? object : json }),
    'failed?': fc.constant(true),
    '_meta?': object.filter((meta) => Object.keys(meta).length > 0),
  });

const task = (...status: string[]): Drawn =>
  record({
    id: text,
    status: fc.constantFrom(...status),
    'remark?': text,
    created: text,
    updated: text,
    ttlMs: fc.nat(),
    pollMs: fc.nat(),
  });
const anyTask = task('working', 'input_required', 'completed', 'failed', 'cancelled');
const extendedTask = fc.oneof(
  task('working', 'cancelled') as fc.Arbitrary<object>,
  fc.tuple(task('completed') as fc.Arbitrary<object>, result({})).map(([one, given]) => ({ ...one, result: given })),
);
/** What an extension says in its acknowledgement is nothing, so what is read of it is always the same. */
const noTask = { id: '', status: 'cancelled', created: '', updated: '', ttlMs: 0, pollMs: 0 };

const DRAWINGS: { readonly [V in Verb]?: (says: Says, revision: Revision) => Drawing } = {
  hello: ({ implementation: fields, hides }, { id, opens }) =>
    opens === 'handshake'
      ? {
          ask: record({ client: implementation(list(fields, EVERY_MEMBER)), capabilities: object }),
          answer: record({
            server: implementation(list(fields, EVERY_MEMBER)),
            capabilities: capabilities(list(hides, [])),
            'instructions?': text,
            revisions: fc.constant([id]),
          }),
        }
      : {
          ask: fc.constant({ capabilities: {} }),
          answer: record({
            // Every result is signed by its writer, so a row alone says nothing of the server.
            server: fc.constant({ name: 'unknown', version: '0' }),
            capabilities: capabilities(list(hides, [])),
            'instructions?': text,
            revisions: some(text),
            fresh: freshness,
          }),
        },
  ping: () => ({ ask: nothing, answer: nothing }),
  ready: () => ({ ask: nothing, answer: nothing }),
  'tools.list': (says) => ({ ask: pageAsk, answer: page('tools', tool(says), says) }),
  'tools.call': ({ content, structured }) => ({
    ask: record({ name: text, input: object }),
    answer: record({
      content: some(blocks(list(content, ANY_CONTENT))),
      ...(structured === 'none' ? {} : { 'structured?': structured === 'object' ? object : json }),
      'failed?': fc.constant(true),
      '_meta?': object,
    }),
  }),
  'resources.list': (says) => ({
    ask: pageAsk,
    answer: page('resources', item({ uri, name: text }, list(says['fields'], EVERY_MEMBER)), says),
  }),
  'resources.templates': (says) => ({
    ask: pageAsk,
    answer: page('templates', item({ uriTemplate: text, name: text }, list(says['fields'], EVERY_MEMBER)), says),
  }),
  'resources.read': ({ fields, keeps }) => ({
    ask: record({ uri }),
    answer: record({
      contents: some(contents(list(fields, ['mimeType', '_meta']))),
      ...(keeps === false ? {} : { fresh: freshness }),
      '_meta?': object,
    }),
  }),
  'resources.watch': () => ({ ask: record({ uri }), answer: nothing }),
  'resources.unwatch': () => ({ ask: record({ uri }), answer: nothing }),
  'prompts.list': (says) => ({ ask: pageAsk, answer: page('prompts', prompt(says), says) }),
  'prompts.get': ({ content }) => ({
    ask: record({ name: text, input: texts }),
    answer: record({
      'description?': text,
      messages: some(record({ role, content: blocks(list(content, ANY_CONTENT)) })),
      '_meta?': object,
    }),
  }),
  complete: ({ context }) => ({
    ask: record({
      ref: fc.oneof(
        record({ type: fc.constant('prompt'), name: text }) as fc.Arbitrary<object>,
        record({ type: fc.constant('resource'), uri: text }) as fc.Arbitrary<object>,
      ),
      argument: record({ name: text, value: text }),
      ...(context === false ? {} : { 'known?': texts.filter((known) => Object.keys(known).length > 0) }),
    }),
    answer: record({ values: some(text), 'total?': fc.nat(), 'more?': flag }),
  }),
  'tasks.get': (_, { asksBy }) => ({ ask: record({ id: text }), answer: asksBy === 'reply' ? extendedTask : anyTask }),
  'tasks.result': (says) => ({ ask: record({ id: text }), answer: record({ id: text, result: result(says) }) }),
  'tasks.list': () => ({ ask: pageAsk, answer: record({ tasks: some(anyTask), 'next?': text }) }),
  'tasks.cancel': (_, { asksBy }) =>
    asksBy === 'reply'
      ? { ask: record({ id: text, settled: fc.constant('accept') }), answer: fc.constant(noTask) }
      : { ask: record({ id: text, settled: fc.constant('refuse') }), answer: anyTask },
  'tasks.update': () => ({ ask: record({ id: text, answers: object }), answer: nothing }),
  'log.level': () => ({ ask: record({ level: fc.constantFrom(...LOG_LEVELS) }), answer: nothing }),
  listen: () => ({ ask: record({ filter }), answer: fc.constant({ filter: {} }) }),
};

const action = fc.constantFrom('accept', 'decline', 'cancel');
const QUESTIONS: { readonly [K in QuestionKind]: (says: Says) => Drawing } = {
  elicit: () => ({
    ask: record({ message: text, schema: object }),
    answer: fc.oneof(
      record({ action: fc.constant('accept'), content: object }) as fc.Arbitrary<object>,
      record({ action: fc.constantFrom('decline', 'cancel') }) as fc.Arbitrary<object>,
    ),
  }),
  elicitUrl: ({ id }) => ({
    ask: record({ message: text, url: uri, elicitation: id === false ? fc.constant('') : text }),
    answer: record({ action }),
  }),
  sample: ({ content, tools }) => {
    const one = blocks(list(content, ['text', 'image', 'audio', 'tool_use', 'tool_result']));
    const said = tools === false ? one : fc.oneof(one, some(one));
    return {
      ask: record({
        messages: some(record({ role, content: said })),
        maxTokens: fc.nat(),
        'systemPrompt?': text,
        'temperature?': fc.integer(),
        'stopSequences?': some(text),
        'modelPreferences?': object,
        'includeContext?': fc.constantFrom('none', 'thisServer', 'allServers'),
        'metadata?': object,
        ...(tools === false ? {} : { 'tools?': some(tool({})), 'toolChoice?': fc.constant({ mode: 'auto' }) }),
      }),
      answer: record({ role, content: said, model: text, 'stopReason?': text }),
    };
  },
  roots: () => ({ ask: nothing, answer: record({ roots: some(record({ uri, 'name?': text, '_meta?': object })) }) }),
};

const NOTICES: { readonly [K in Notice['kind']]?: (says: Says, revision: Revision) => Drawn } = {
  task: (_, { asksBy }) => record({ kind: fc.constant('task'), view: asksBy === 'reply' ? extendedTask : anyTask }),
  progress: ({ message }) =>
    record({
      kind: fc.constant('progress'),
      token: wireId,
      done: fc.integer(),
      'total?': fc.integer(),
      ...(message === false ? {} : { 'message?': text }),
    }),
  log: () => record({ kind: fc.constant('log'), level: fc.constantFrom(...LOG_LEVELS), data: json, 'logger?': text }),
  changed: (says) => record({ kind: fc.constant('changed'), list: fc.constant(says['list'] ?? 'tools') }),
  updated: () => record({ kind: fc.constant('updated'), uri }),
  listening: () => record({ kind: fc.constant('listening'), filter }),
  elicited: () => record({ kind: fc.constant('elicited'), elicitation: text }),
  cancelled: () => record({ kind: fc.constant('cancelled'), id: wireId, 'reason?': text }),
  ready: () => record({ kind: fc.constant('ready') }),
  rootsChanged: () => record({ kind: fc.constant('rootsChanged') }),
};

/** How to draw what a row is about; a row nobody can draw is a row nobody tests. */
function known<T>(drawing: T | undefined, name: string): T {
  assert.ok(drawing !== undefined, `nothing draws "${name}": say here what it may hold`);
  return drawing;
}

const RUNS = { numRuns: 40 };
const overTheWire = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
type AnyCodec = Codec<unknown>;

function keeps(codec: AnyCodec, drawn: Drawn): void {
  fc.assert(
    fc.property(drawn, (value) => {
      assert.deepEqual(overTheWire(codec.read(overTheWire(codec.write(value)))), overTheWire(value));
    }),
    RUNS,
  );
}

function settles(codec: AnyCodec, drawn: Drawn): void {
  fc.assert(
    fc.property(drawn, (value) => {
      const once = overTheWire(codec.write(value));
      assert.deepEqual(overTheWire(codec.write(codec.read(once))), once);
    }),
    RUNS,
  );
}

for (const revision of REVISIONS) {
  for (const [method, row] of Object.entries(revision.methods)) {
    const { says = {}, verb } = row;
    test(`${revision.id} ${method} reads what it writes`, () => {
      const { ask, answer } = known(DRAWINGS[verb], verb)(says, revision);
      keeps(row.ask as AnyCodec, ask);
      keeps(row.answer as AnyCodec, answer);
    });
    test(`${revision.id} ${method} writes once what it can say of anything`, () => {
      const { ask, answer } = known(DRAWINGS[verb], verb)({}, revision);
      settles(row.ask as AnyCodec, ask);
      settles(row.answer as AnyCodec, answer);
    });
  }
  for (const row of Object.values(revision.questions) as QuestionRow<QuestionKind>[]) {
    test(`${revision.id} ${row.kind} reads what it asks and hears`, () => {
      const { ask, answer } = QUESTIONS[row.kind](row.says ?? {});
      keeps(row.ask as AnyCodec, ask);
      keeps(row.answer as AnyCodec, answer);
      const wide = QUESTIONS[row.kind]({});
      settles(row.ask as AnyCodec, wide.ask);
      settles(row.answer as AnyCodec, wide.answer);
    });
  }
  for (const [method, row] of [...Object.entries(revision.tells), ...Object.entries(revision.hears)]) {
    const codec = row as AnyNoticeRow as unknown as AnyCodec;
    test(`${revision.id} ${method} reads the notice it writes`, () => {
      keeps(codec, known(NOTICES[row.kind], row.kind)(row.says ?? {}, revision));
      settles(codec, known(NOTICES[row.kind], row.kind)({ ...row.says, message: true }, revision));
    });
  }
}

const WRONG = [undefined, null, 5, 'text', true, [], [1], {}];

test('no row takes a wrong shape for anything but a fault, and none falls over', () => {
  const members = [
    'name',
    'uri',
    'cursor',
    'arguments',
    'level',
    'ref',
    'argument',
    'notifications',
    'protocolVersion',
    'capabilities',
    'clientInfo',
    'content',
    'tools',
    'contents',
    'messages',
    'completion',
    'supportedVersions',
    'roots',
    'action',
    'requestedSchema',
    'maxTokens',
    'model',
    'role',
    '_meta',
    'nextCursor',
  ];
  const wires = fc.dictionary(fc.constantFrom(...members), fc.oneof(fc.constantFrom(...WRONG), object), { maxKeys: 6 });
  for (const revision of REVISIONS) {
    const codecs = [
      ...Object.values(revision.methods).flatMap(({ ask, answer }) => [ask, answer]),
      ...(Object.values(revision.questions) as QuestionRow<QuestionKind>[]).flatMap(({ ask, answer }) => [ask, answer]),
    ] as AnyCodec[];
    fc.assert(
      fc.property(wires, (wire) => {
        for (const codec of codecs) {
          try {
            codec.read(overTheWire(wire) as JsonObject);
          } catch (error) {
            assert.equal((error as { code?: string }).code, 'E_BAD_PARAMS', String(error));
          }
        }
      }),
      { numRuns: 100 },
    );
  }
});

test('a notice of the wrong shape is no notice, and none falls over', () => {
  const shapely: readonly Notice['kind'][] = ['changed', 'ready', 'rootsChanged'];
  for (const { hears, tells } of REVISIONS) {
    for (const row of [...Object.values(hears), ...Object.values(tells)]) {
      if (shapely.includes(row.kind)) continue;
      assert.equal(row.read({}), undefined, row.kind);
      for (const wrong of [null, true, 1.5, [], {}])
        assert.equal(
          row.read({ requestId: wrong, progressToken: wrong, progress: 1, elicitationId: wrong }),
          undefined,
          row.kind,
        );
    }
  }
});
