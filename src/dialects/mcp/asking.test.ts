import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientCapabilities } from '../../model/capabilities.ts';
import type { Fault } from '../../model/fault.ts';
import type { Question, SampleRequest, SamplingMessage } from '../../model/peer.ts';
import { permitQuestion, questionRow } from './asking.ts';
import { REVISIONS } from './revisions.ts';

const [modern, newest, middle, early, first] = REVISIONS as [
  (typeof REVISIONS)[0],
  (typeof REVISIONS)[0],
  (typeof REVISIONS)[0],
  (typeof REVISIONS)[0],
  (typeof REVISIONS)[0],
];
const form = (properties = {}): Question => ({
  kind: 'elicit',
  ask: { message: '', schema: { type: 'object', properties } },
});
const url: Question = { kind: 'elicitUrl', ask: { message: '', url: 'https://example.org', elicitation: 'e' } };
const sample = (ask: Partial<SampleRequest> = {}): Question => ({
  kind: 'sample',
  ask: { messages: [], maxTokens: 1, ...ask },
});
const roots: Question = { kind: 'roots', ask: {} };
const ALL: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };

/** The code of the refusal, or nothing when the question may be put. */
function verdict(
  revision: typeof modern,
  question: Question,
  capabilities: ClientCapabilities = ALL,
): string | undefined {
  try {
    permitQuestion(revision, question, { client: undefined, capabilities });
    return undefined;
  } catch (error) {
    return (error as Fault).code;
  }
}

test('each revision asks what it has words for', () => {
  const asked = [form(), url, sample(), sample({ tools: [] }), roots];
  const can = (revision: typeof modern) => asked.map((question) => verdict(revision, question) === undefined);
  assert.deepEqual(can(modern), [true, true, true, true, true]);
  assert.deepEqual(can(newest), [true, true, true, true, true]);
  assert.deepEqual(can(middle), [true, false, true, false, true]);
  assert.deepEqual(can(early), [false, false, true, false, true]);
  assert.deepEqual(can(first), [false, false, true, false, true]);
  assert.throws(() => questionRow(first, form()), { code: 'E_CANNOT_ASK' });
});

test('several choices are asked for where the revision has them', () => {
  const choice = form({ fruits: { type: 'array', items: { type: 'string' } } });
  assert.equal(verdict(middle, choice), 'E_CANNOT_ASK');
  assert.equal(verdict(newest, choice), undefined);
});

test('what the client did not declare is refused in the words of the era', () => {
  for (const [question, capabilities] of [
    [form(), {}],
    [form(), { elicitation: { url: {} } }],
    [url, { elicitation: {} }],
    [url, { elicitation: { form: {} } }],
    [sample(), {}],
    [sample({ toolChoice: { mode: 'auto' } }), { sampling: {} }],
    [roots, { roots: null }],
    [roots, {}],
  ] as [Question, ClientCapabilities][]) {
    assert.equal(
      verdict(modern, question, capabilities),
      'E_MISSING_CAPABILITY',
      JSON.stringify([question.kind, capabilities]),
    );
    assert.equal(verdict(newest, question, capabilities), 'E_CANNOT_ASK');
  }
});

test('an empty declaration of elicitation means forms', () => {
  assert.equal(verdict(modern, form(), { elicitation: {} }), undefined);
  assert.equal(verdict(modern, form(), { elicitation: { form: {} } }), undefined);
});

test('messages hold only content the revision knows', () => {
  const holding = (content: unknown): Question => sample({ messages: [{ role: 'user', content } as SamplingMessage] });
  const audio = holding({ type: 'audio', data: '', mimeType: '' });
  assert.deepEqual(
    [first, early, newest].map((revision) => verdict(revision, audio)),
    ['E_CANNOT_ASK', undefined, undefined],
  );
  const list = holding([{ type: 'text', text: '' }]);
  assert.deepEqual(
    [middle, newest].map((revision) => verdict(revision, list)),
    ['E_CANNOT_ASK', undefined],
  );
});

test('tool results stand alone and answer each tool use of the message before', () => {
  const use = (id: string) => ({ type: 'tool_use', id, name: 'n', input: {} }) as const;
  const result = (toolUseId: string) => ({ type: 'tool_result', toolUseId, content: [] }) as const;
  const text = { type: 'text', text: '' } as const;
  const talk = (...contents: unknown[]): string | undefined =>
    verdict(
      modern,
      sample({
        messages: contents.map((content, at) => ({
          role: at % 2 === 0 ? 'user' : 'assistant',
          content,
        })) as SamplingMessage[],
      }),
    );
  assert.equal(talk(text, use('a'), result('a')), undefined);
  assert.equal(talk(text, [text, use('a'), use('b')], [result('b'), result('a')], text), undefined);
  for (const wrong of [
    [text, use('a'), [result('a'), text]],
    [text, use('a'), text],
    [text, use('a')],
    [text, [use('a'), use('b')], result('a')],
    [text, use('a'), [result('a'), result('b')]],
    [result('a')],
  ])
    assert.equal(talk(...wrong), 'E_CANNOT_ASK', JSON.stringify(wrong));
});
