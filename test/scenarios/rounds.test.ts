import assert from 'node:assert/strict';
import type { JsonObject } from '../../src/model/json.ts';
import { calling, converse } from './dialogue.ts';
import { obligation, scenario } from './obligation.ts';
import { type Peer, textOf } from './peer.ts';
import { CODE, KEY, MODERN } from './revisions.ts';

const ASKS = { declares: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} } };
const accept = (content: JsonObject): JsonObject => ({ action: 'accept', content });
const named = (name: string): JsonObject => accept({ name });
const questions = (result: JsonObject): string[] => Object.keys(result['inputRequests'] as JsonObject);

interface Retry {
  readonly state?: unknown;
  readonly answers?: unknown;
  readonly input?: JsonObject;
}

const retry = (tool: string, { state, answers, input = {} }: Retry): [string, JsonObject] => [
  'tools/call',
  {
    name: tool,
    arguments: input,
    ...(answers === undefined ? {} : { inputResponses: answers as JsonObject }),
    ...(state === undefined ? {} : { requestState: state as string }),
  },
];

const again = (peer: Peer, tool: string, how: Retry): Promise<JsonObject> => peer.result(...retry(tool, how));

obligation('MRTR-1', 'asks in the reply to a call, a read and a prompt, and nowhere else', ASKS, async (_, peer) => {
  for (const [method, params] of [
    ['tools/call', { name: 'greet' }],
    ['resources/read', { uri: 'test://asked' }],
    ['prompts/get', { name: 'asked' }],
  ] as const)
    assert.equal((await peer.result(method, params))['resultType'], 'input_required', method);
  await peer.quiet();
});

obligation('MRTR-2', 'asks under keys, everything asked in one breath at once', ASKS, async (_, peer) => {
  const first = await peer.call('both');
  assert.deepEqual(questions(first).sort(), ['left', 'right']);
  assert.equal(typeof first['requestState'], 'string');
  const answers = { left: accept({ value: 'L' }), right: accept({ value: 'R' }) };
  assert.equal(textOf(await again(peer, 'both', { state: first['requestState'], answers })), 'L and R');
});

obligation('MRTR-3', 'asks nothing the request did not declare, on a retry either', ASKS, async (_, peer) => {
  await peer.refused(CODE.missingCapability, [...calling('greet'), { capabilities: {} }]);
  const first = await peer.call('rounds');
  const answers = { 'elicit-1': named('Ann') };
  const second = retry('rounds', { state: first['requestState'], answers });
  await peer.refused(CODE.missingCapability, [...second, { capabilities: {} }]);
});

obligation(
  'MRTR-4',
  'refuses state that was altered, made up or mistyped, and runs nothing',
  ASKS,
  async (_, peer, { fixture }) => {
    const first = await peer.call('rounds');
    const state = first['requestState'] as string;
    const answers = { 'elicit-1': named('Ann') };
    const flip = (at: number): string => state.slice(0, at) + (state[at] === 'A' ? 'B' : 'A') + state.slice(at + 1);
    const bad = [
      flip(0),
      flip(10),
      flip(30),
      flip(state.length >> 1),
      flip(state.length - 2),
      state.slice(1),
      state.slice(0, -4),
      `${state}AAAA`,
      `${state}=`,
      ` ${state}`,
      '',
      'x',
      '{}',
      'A'.repeat(100_000),
    ];
    for (const wrong of bad) await peer.refused(CODE.badParams, retry('rounds', { state: wrong, answers }));
    for (const wrong of [5, {}, null, []])
      await peer.refused(CODE.badParams, retry('rounds', { state: wrong, answers }));
    assert.equal(fixture.ran.get('pay'), undefined);
  },
);

obligation('MRTR-4', 'keeps what was answered and done from the eyes of the client', ASKS, async (_, peer) => {
  const first = await peer.call('rounds');
  const second = await again(peer, 'rounds', {
    state: first['requestState'],
    answers: { 'elicit-1': named('Zebulon') },
  });
  const state = Buffer.from(second['requestState'] as string, 'base64url').toString('latin1');
  assert.doesNotMatch(state, /Zebulon|elicit|pay/);
});

obligation('MRTR-5', 'takes state back only for the same request', ASKS, async (_, peer) => {
  const [method, params] = calling('rounds', { order: 1 });
  const { requestState: state } = await peer.result(method, params);
  const answers = { 'elicit-1': named('Ann') };
  await peer.refused(CODE.badParams, retry('rounds', { state, answers, input: { order: 2 } }));
  await peer.refused(CODE.badParams, retry('rounds', { state, answers }));
  await peer.refused(CODE.badParams, retry('hasty', { state, answers, input: { order: 1 } }));
  await peer.refused(CODE.badParams, [
    'resources/read',
    { uri: 'test://asked', requestState: state, inputResponses: answers } as JsonObject,
  ]);
  const good = await again(peer, 'rounds', { state, answers, input: { order: 1 } });
  assert.equal(good['resultType'], 'input_required');
});

obligation(
  'MRTR-5',
  'takes state back only for the same principal',
  { ...ASKS, secrets: ['shared'] },
  async (_, peer, scene) => {
    const { requestState: state } = await peer.call('rounds');
    const other = scene.peer(MODERN, ASKS.declares, { id: 'mallory', scopes: [] });
    await other.refused(CODE.badParams, retry('rounds', { state, answers: { 'elicit-1': named('Mallory') } }));
    await other.end();
  },
);

obligation('MRTR-5', 'takes state back only for a while', { ...ASKS, limits: { stateTtlMs: 15 } }, async (_, peer) => {
  const { requestState: state } = await peer.call('greet');
  await new Promise((resolve) => setTimeout(resolve, 30));
  const error = await peer.refused(CODE.badParams, retry('greet', { state, answers: { 'elicit-1': named('Ann') } }));
  assert.match(String(error['message']), /expired/);
});

obligation('MRTR-6', 'holds nothing for a client that never comes back', ASKS, async (_, peer, scene) => {
  for (let at = 0; at < 50; at += 1) await peer.call('greet', { at });
  const started = performance.now();
  await scene.shutdown();
  assert.ok(performance.now() - started < 5000, 'the server waited for somebody');
});

obligation('MRTR-7', 'asks again for what is missing, and ignores what it did not ask', ASKS, async (_, peer) => {
  const first = await peer.call('both');
  const state = first['requestState'];
  for (const answers of [undefined, {}, { wrong: named('x') }, { left: accept({ value: 'L' }) }]) {
    const result = await again(peer, 'both', { state, answers });
    assert.equal(result['resultType'], 'input_required');
    assert.ok(questions(result).includes('right'));
    assert.equal(questions(result).includes('left'), answers?.left === undefined);
  }
  const answers = { left: accept({ value: 'L' }), right: accept({ value: 'R' }), extra: { nonsense: [] } };
  assert.equal(textOf(await again(peer, 'both', { state, answers })), 'L and R');
});

obligation('MRTR-7', 'remembers the half that was answered', ASKS, async (_, peer) => {
  const first = await peer.call('both');
  const half = await again(peer, 'both', { state: first['requestState'], answers: { left: accept({ value: 'L' }) } });
  assert.deepEqual(questions(half), ['right']);
  const whole = await again(peer, 'both', { state: half['requestState'], answers: { right: accept({ value: 'R' }) } });
  assert.equal(textOf(whole), 'L and R');
});

obligation('MRTR-7', 'refuses malformed answers', ASKS, async (_, peer) => {
  const { requestState: state } = await peer.call('greet');
  for (const answers of [
    [],
    'x',
    5,
    null,
    { 'elicit-1': 5 },
    { 'elicit-1': null },
    { 'elicit-1': [] },
    { 'elicit-1': {} },
    { 'elicit-1': { action: 'perhaps' } },
    { 'elicit-1': accept({ name: 5 }) },
  ])
    await peer.refused(CODE.badParams, retry('greet', { state, answers }));
});

obligation(
  'VER-8',
  'carries what outlives a request in the state it gives, and nowhere else',
  ASKS,
  async (_, peer) => {
    const first = await peer.call('rounds');
    const answers = { 'elicit-1': named('Ann') };
    const lost = await again(peer, 'rounds', { answers: { 'elicit-2': named('Bob') } });
    assert.deepEqual(questions(lost), ['elicit-1'], 'without its state the call starts anew');
    const second = await again(peer, 'rounds', { state: first['requestState'], answers });
    assert.deepEqual(questions(second), ['elicit-2']);
  },
);

obligation(
  'VER-9',
  'goes on over another connection, and in another process with the same secret',
  { ...ASKS, secrets: ['new', 'old'] },
  async (_, peer, scene) => {
    const first = await peer.call('rounds');
    const other = scene.peer(MODERN, ASKS.declares);
    const second = await again(other, 'rounds', {
      state: first['requestState'],
      answers: { 'elicit-1': named('Ann') },
    });
    const third = await again(peer, 'rounds', { state: second['requestState'], answers: { 'elicit-2': named('Bob') } });
    assert.equal(textOf(third), 'Ann, Bob, paid 1');
    await other.end();
  },
);

scenario([MODERN], 'asks round after round and does its work once', ASKS, async (_, peer, { fixture }) => {
  const { answer } = await converse(peer, calling('rounds'), [named('Ann'), named('Bob')]);
  assert.equal(textOf(answer['result'] as JsonObject), 'Ann, Bob, paid 1');
  assert.equal(fixture.ran.get('pay'), 1);
});

scenario(
  [MODERN],
  'waits for work under way before it asks, so that it is done once',
  ASKS,
  async (_, peer, { fixture }) => {
    peer.start(...calling('hasty'), { id: 'first' });
    await fixture.gate('paying').entered;
    await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(
      peer.ledger.lines.some((line) => line.includes('"first"')),
      false,
      'the reply left before the work was done',
    );
    fixture.gate('paying').open();
    const { result } = (await peer.ledger.answer('first')) as { result: JsonObject };
    const done = await again(peer, 'hasty', { state: result['requestState'], answers: { 'elicit-1': named('Ann') } });
    assert.equal(textOf(done), 'Ann paid 1');
    assert.equal(fixture.ran.get('pay'), 1);
  },
);

scenario([MODERN], 'replays a state as often as it comes, to the same end', ASKS, async (_, peer, { fixture }) => {
  const first = await peer.call('rounds');
  const second = await again(peer, 'rounds', { state: first['requestState'], answers: { 'elicit-1': named('Ann') } });
  for (let round = 0; round < 3; round += 1) {
    const third = await again(peer, 'rounds', { state: second['requestState'], answers: { 'elicit-2': named('Bob') } });
    assert.equal(textOf(third), 'Ann, Bob, paid 1');
  }
  assert.equal(fixture.ran.get('pay'), 1);
});

scenario([MODERN], 'does not let a later round change an earlier answer', ASKS, async (_, peer) => {
  const first = await peer.call('rounds');
  const second = await again(peer, 'rounds', { state: first['requestState'], answers: { 'elicit-1': named('Ann') } });
  const answers = { 'elicit-1': named('Eve'), 'elicit-2': named('Bob') };
  assert.equal(textOf(await again(peer, 'rounds', { state: second['requestState'], answers })), 'Ann, Bob, paid 1');
});

scenario([MODERN], 'asks for no more rounds than the limit', { ...ASKS, limits: { askRounds: 3 } }, async (_, peer) => {
  let state: unknown;
  for (let round = 0; round < 3; round += 1) {
    const answers = round === 0 ? undefined : { [`round ${round - 1}`]: accept({ value: 'x' }) };
    const result = await again(peer, 'endless', { state, answers });
    assert.deepEqual(questions(result), [`round ${round}`]);
    state = result['requestState'];
  }
  await peer.refused(CODE.badParams, retry('endless', { state, answers: { 'round 2': accept({ value: 'x' }) } }));
});

scenario(
  [MODERN],
  'carries no more state than the limit',
  { ...ASKS, limits: { stateBytes: 2000 } },
  async (_, peer) => {
    const first = await peer.call('both');
    const answers = { left: accept({ value: 'x'.repeat(4000) }) };
    const result = await again(peer, 'both', { state: first['requestState'], answers });
    assert.equal(result['isError'], true);
  },
);

scenario([MODERN], 'asks even where a handler swallows the interruption', ASKS, async (_, peer) => {
  const first = await peer.call('swallows');
  assert.equal(first['resultType'], 'input_required');
  const done = await again(peer, 'swallows', { state: first['requestState'], answers: { caught: accept({}) } });
  assert.equal(textOf(done), 'answered');
});

scenario([MODERN], 'tells progress of every round under the token of that round', ASKS, async (_, peer) => {
  const first = await peer.call('greet', {}, { meta: { progressToken: 'a', [KEY.level]: 'debug' } });
  assert.equal(first['resultType'], 'input_required');
  await peer.quiet();
});

scenario(
  [MODERN],
  'asks what a handler forgot to wait for, as long as it is still at work',
  ASKS,
  async (_, peer, { fixture }) => {
    assert.equal((await peer.call('forgets'))['resultType'], 'input_required');
    fixture.gate('forgetting').open();
    assert.equal(textOf(await peer.call('forgets', { again: true })), 'forgot');
  },
);
