import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolEntry } from '../../../catalog/provider.ts';
import type { Call } from '../../../model/call.ts';
import { isObject, type Json, type JsonObject } from '../../../model/json.ts';
import { findCrisis } from './crisis.ts';
import { DIRECTORY, HELPLINES } from './helplines.ts';
import { createHumanity } from './humanity.ts';
import { VOICES } from './voices.ts';

const { tools = [] } = await createHumanity().load();
const entries = new Map(tools.map((entry) => [entry.tool.name, entry]));

const NAMES = [
  'wcagaaa_check',
  'rewrite_depression_sensitive_content',
  'supportive_reply',
  'cognitive_accessibility_audit',
  'cultural_context_check',
  'deescalation_plan',
  'empathetic_reframe',
  'grief_support_response',
  'neurodiversity_design_check',
  'age_inclusive_design_check',
];

const GOOD: Readonly<Record<string, JsonObject>> = {
  wcagaaa_check: { target: 'a login form', level: 'AAA' },
  rewrite_depression_sensitive_content: { text: 'You must act now' },
  supportive_reply: { message: 'I feel overwhelmed', risk_level: 'medium' },
  cognitive_accessibility_audit: { content: 'Press the button.' },
  cultural_context_check: { message: 'Hey guys, hello', audience: 'partners' },
  deescalation_plan: { situation: 'Two colleagues shout' },
  empathetic_reframe: { message: 'You must wait' },
  grief_support_response: { message: 'My mother died', support_mode: 'presence' },
  neurodiversity_design_check: { ui_description: 'A page with a form' },
  age_inclusive_design_check: { flow_description: 'Pay a bill' },
};

function entryOf(name: string): ToolEntry {
  const entry = entries.get(name);
  assert.ok(entry, name);
  return entry;
}

async function issuesOf(name: string, input: JsonObject): Promise<readonly string[]> {
  const checked = await entryOf(name).checkInput?.(input);
  assert.ok(checked);
  return checked.ok ? [] : checked.issues;
}

/** What the action answers, checked against its own output schema. */
async function run(name: string, input: JsonObject): Promise<JsonObject> {
  const entry = entryOf(name);
  const checked = await entry.checkInput?.(input);
  assert.ok(checked?.ok, JSON.stringify(checked));
  const { structured } = await entry.run(checked.value, {} as Call);
  const fits = await entry.checkOutput?.(structured);
  assert.deepEqual(fits?.ok, true, JSON.stringify(fits));
  assert.ok(isObject(structured));
  return structured;
}

async function outputOf(name: string, input: JsonObject): Promise<JsonObject> {
  const { output } = await run(name, input);
  assert.ok(isObject(output));
  return output;
}

const list = (value: Json | undefined): string[] => value as string[];

test('the ten actions are offered in the order clients know', () => {
  assert.deepEqual([...entries.keys()], NAMES);
});

for (const name of NAMES) {
  test(`${name} answers with the five members in order, and fits its schema`, async () => {
    const answer = await run(name, GOOD[name] ?? {});
    assert.deepEqual(Object.keys(answer), ['action', 'boundaryNotice', 'uncertainty', 'assumptions', 'output']);
    assert.equal(answer['action'], name);
    assert.ok(list(answer['assumptions']).length > 0);
  });

  test(`${name} has a contract whose members clients know`, () => {
    const contract = entryOf(name).tool._meta?.['action'];
    assert.ok(isObject(contract));
    assert.deepEqual(Object.keys(contract), [
      'skill',
      'action',
      'description',
      'inputSchemaPath',
      'outputSchemaPath',
      'safetyBoundary',
    ]);
    assert.equal(contract['inputSchemaPath'], `schemas/${contract['skill']}.input.json`);
    assert.equal(contract['outputSchemaPath'], `schemas/${contract['skill']}.output.json`);
  });

  test(`${name} names every required field that is absent, null, empty or blank`, async () => {
    const required = list(entryOf(name).tool.inputSchema['required'] as Json);
    for (const field of required) {
      for (const value of [undefined, null, '', ' \n']) {
        const issues = await issuesOf(name, { ...GOOD[name], [field]: value as Json });
        assert.deepEqual(issues, [`Required field '${field}' is missing or empty`]);
      }
    }
    const all = required.map((field) => `Required field '${field}' is missing or empty`);
    assert.deepEqual(await issuesOf(name, {}), all);
  });
}

const WRONG: readonly (readonly [string, JsonObject, readonly string[]])[] = [
  ['supportive_reply', { message: 1, risk_level: 'medium' }, ["'message' must be a string"]],
  ['supportive_reply', { message: 'a', risk_level: 'extreme' }, ["'risk_level' must be one of: low, medium, high"]],
  ['supportive_reply', { message: 'a', risk_level: 7 }, ["'risk_level' must be one of: low, medium, high"]],
  ['supportive_reply', { message: 'a', risk_level: 'low', locale: null }, ["'locale' must be a string"]],
  ['age_inclusive_design_check', { flow_description: 'a', age_groups: [1] }, ["'age_groups[0]' must be a string"]],
  ['age_inclusive_design_check', { flow_description: 'a', age_groups: 'old' }, ["'age_groups' must be an array"]],
  [
    'neurodiversity_design_check',
    { ui_description: 'a', focus: ['adhd', null, {}] },
    ["'focus[1]' must be a string", "'focus[2]' must be a string"],
  ],
  [
    'empathetic_reframe',
    { message: {}, tone: 'rude' },
    ["'message' must be a string", "'tone' must be one of: neutral, warm, formal"],
  ],
  [
    'wcagaaa_check',
    { level: 'B' },
    ["Required field 'target' is missing or empty", "'level' must be one of: A, AA, AAA"],
  ],
];

for (const [name, input, issues] of WRONG) {
  test(`${name} refuses ${JSON.stringify(input)} in the words its clients know`, async () => {
    assert.deepEqual(await issuesOf(name, input), issues);
  });
}

test('unknown members are ignored and inherited names are no fields', async () => {
  assert.deepEqual(await issuesOf('empathetic_reframe', { message: 'a', extra: 1, constructor: 2 }), []);
  const hidden = JSON.parse('{"__proto__":{"message":"a"}}') as JsonObject;
  assert.deepEqual(await issuesOf('empathetic_reframe', hidden), ["Required field 'message' is missing or empty"]);
});

test('a text over its limit is refused by name', async () => {
  const issues = await issuesOf('empathetic_reframe', { message: 'a'.repeat(524_289) });
  assert.deepEqual(issues, ["'message' must be at most 524288 characters"]);
});

test("the document's own example is answered as the document says", async () => {
  const answer = await run('supportive_reply', { message: 'I feel overwhelmed', risk_level: 'medium' });
  const output = answer['output'] as JsonObject;
  assert.equal(answer['boundaryNotice'], 'Non-clinical support; must provide escalation cues when risk is elevated');
  assert.equal(answer['uncertainty'], 'medium');
  assert.deepEqual(answer['assumptions'], ['Risk level: medium (self-reported or system-assessed)']);
  assert.deepEqual(Object.keys(output), ['reply', 'escalation_guidance', 'boundaries_notice']);
  assert.match(String(output['reply']), /^I hear you, and I am glad you reached out/);
  assert.deepEqual(output['escalation_guidance'], [
    'If things feel harder over time, consider speaking with a mental health professional',
  ]);
  assert.match(String(output['boundaries_notice']), /^Non-clinical support/);
});

// Everyday sentences that a search for parts of words takes for signs of crisis.
const EVERYDAY = [
  'I feel overwhelmed',
  'I am overwhelmed by kindness',
  'There is no point in using tabs',
  'Please make it stop raining',
  'I cut myself a slice of cake',
  'I cut myself while shaving',
  'I hurt myself playing football',
  'One minute, the secure storage was made',
  "I can't go on holiday this year",
  "I can't take the train today",
  "I can't cope with this printer",
  'I am dying to see you, and I want to die of laughter',
  'I killed the process myself',
  'We watched Suicide Squad',
  "I'm not suicidal, only tired",
  "I don't want to die",
  'Everyone would be better at chess with practice',
  'He wrote a goodbye card',
  'We end it all with a toast',
  'Take my life story, for example',
  "I don't want to live in Ohio",
  "I don't want to be here on Monday",
  'I shot myself in the foot with that commit',
  'Do not shoot yourself in the foot',
  'I wiped the mud off myself',
  'I jumped off the train and walked',
  'There is nothing to live stream',
  'I wish I could disappear into a good book',
];
for (const sentence of EVERYDAY) {
  test(`everyday words are no sign of crisis: ${sentence}`, async () => {
    assert.equal(findCrisis(sentence), undefined);
    const answer = await run('supportive_reply', { message: sentence, risk_level: 'low' });
    assert.deepEqual(answer['assumptions'], ['Risk level: low (self-reported or system-assessed)']);
  });
}

const CRISIS = [
  'I want to kill myself',
  'i am going to end my life',
  'I think about suicide every day',
  'I feel suicidal',
  'I want to die.',
  'they would be better off without me',
  'I wish I were dead',
  'I\u2019ve been cutting myself',
  'I want to hurt myself',
  'I cut myself again last night',
  'there is no point in living',
  'Life isn\u2019t worth living',
  'I can\u2019t go on like this',
  "I can't go on",
  "I don't want to live anymore",
  'I took all my pills',
  'I am going to hang myself',
  'I want to jump off the bridge',
  'I have nothing left to live for',
  "I don't want to be here anymore",
  'My friend says he will kill himself',
  'I wish I could never wake up',
  'ＫＩＬＬ ＭＹＳＥＬＦ',
  'Quiero morir',
  "J'ai envie de mourir",
  'Ich will sterben',
  'quero morrer',
  '我不想活了',
  '死にたいです',
  '죽고 싶어요',
  'أريد أن أموت',
];
for (const sentence of CRISIS) {
  test(`signs of crisis raise the risk and are not repeated: ${sentence}`, async () => {
    for (const stated of ['low', 'medium', 'high']) {
      const answer = await run('supportive_reply', { message: sentence, risk_level: stated });
      assert.match(list(answer['assumptions'])[0] ?? '', /^Risk level: high /);
      const output = answer['output'] as JsonObject;
      assert.ok(list(output['escalation_guidance']).length >= 4);
      assert.ok(!JSON.stringify(answer).includes(sentence));
    }
  });
}

test('risk is never lowered below what the caller states', async () => {
  for (const message of ['I am fine', 'Everything is wonderful', 'Just joking']) {
    const answer = await run('supportive_reply', { message, risk_level: 'high' });
    assert.deepEqual(answer['assumptions'], ['Risk level: high (self-reported or system-assessed)']);
  }
});

test('no action gives back the words of somebody in danger', async () => {
  const cry = 'I want to kill myself';
  for (const name of NAMES) {
    const given = GOOD[name] ?? {};
    const [field = ''] = list(entryOf(name).tool.inputSchema['required'] as Json);
    const texts = Object.keys(given).filter((key) => !['level', 'risk_level', 'support_mode'].includes(key));
    const input = { ...given, ...Object.fromEntries([field, ...texts].map((key) => [key, cry])) };
    assert.ok(!JSON.stringify(await run(name, input)).includes('kill myself'), name);
  }
});

const LOCALES: readonly (readonly [string, RegExp])[] = [
  ['en', /988/],
  ['en-GB', /116 123/],
  ['en-UK', /116 123/],
  ['en_AU', /13 11 14/],
  ['es', /024/],
  ['es-MX', /findahelpline/],
  ['fr', /3114/],
  ['fr-CA', /988/],
  ['de', /0800 111 0 111/],
  ['de-AT', /\b142\b/],
  ['de-CH', /\b143\b/],
  ['pt-BR', /\b188\b/],
  ['pt-PT', /1411/],
  ['zh-CN', /12356/],
  ['zh-Hant-TW', /1925/],
  ['ja', /0120-279-338/],
  ['KO-kr', /\b109\b/],
  ['ar', /findahelpline/],
  ['xx-YY', /findahelpline/],
  ['en-ZZ', /findahelpline/],
  ['🙂', /findahelpline/],
];
for (const [locale, expected] of LOCALES) {
  test(`high risk names a service for ${locale}`, async () => {
    const output = await outputOf('supportive_reply', { message: 'Please help', risk_level: 'high', locale });
    assert.match(list(output['escalation_guidance']).join('\n'), expected);
  });
}

test('a country nobody has an entry for is not given the number of another country', async () => {
  const output = await outputOf('supportive_reply', { message: 'Please help', risk_level: 'high', locale: 'en-ZZ' });
  assert.ok(!/988|116 123/.test(list(output['escalation_guidance']).join('\n')));
});

test('every helpline has a source and a review date', () => {
  for (const { source, reviewed, contact, name } of [...HELPLINES, DIRECTORY]) {
    assert.match(source, /^https:\/\/\S+\.\S+/, name);
    assert.match(reviewed, /^\d{1,2} [A-Z][a-z]{2} \d{4}$/, name);
    assert.ok(!Number.isNaN(Date.parse(reviewed)), name);
    assert.notEqual(contact.trim(), '');
  }
});

test('every language has every sentence', () => {
  const members = Object.keys(VOICES['en'] ?? {});
  for (const [language, voice] of Object.entries(VOICES)) {
    assert.deepEqual(Object.keys(voice), members, language);
    for (const text of Object.values(voice)) assert.notEqual(String(text).trim(), '', language);
  }
});

const FLAGS: readonly (readonly [string, readonly string[]])[] = [
  ['Wait one minute in the secure procedure', []],
  ['The week ends; a weakling is no weak point', []],
  ['You must act now', ['Shame/blame language detected: "you must"', 'Urgency pressure detected: "act now"']],
  ['DON\u2019T MISS  OUT', ['Urgency pressure detected: "don\'t miss out"']],
  ['He is nuts', ['Stigmatizing language: "nuts"']],
  ['We prescribe a cure', ['Potential medical claim: "cure"', 'Potential medical claim: "prescri"']],
  ['Just get over it, lazy', ['Minimizing/invalidating: "just get over it"', 'Judgmental: "lazy"']],
];
for (const [text, flags] of FLAGS) {
  test(`depression-sensitive flags of "${text}"`, async () => {
    const output = await outputOf('rewrite_depression_sensitive_content', { text, mode: 'audit' });
    assert.deepEqual(output['safety_flags'], flags);
    assert.equal(output['pattern_count'], flags.length);
    assert.equal(output['review_recommended'], flags.length > 0);
  });
}

test('rewriting keeps what it does not touch, byte for byte', async () => {
  const text = 'Ça va ’ — “quoted”\n\n  kept  spacing';
  const output = await outputOf('rewrite_depression_sensitive_content', { text });
  assert.equal(output['result'], text);
});

test('rewriting replaces whole phrases and keeps capitals', async () => {
  const output = await outputOf('rewrite_depression_sensitive_content', {
    text: 'You must sign. Act now! He committed suicide.',
  });
  assert.equal(output['result'], 'You can sign. When you are ready! He died by suicide.');
  assert.ok(list(output['crisis_resources']).length > 0);
});

test('the cognitive audit measures length, jargon and steps', async () => {
  const easy = await run('cognitive_accessibility_audit', { content: 'Press it. Done.' });
  assert.deepEqual(list(easy['assumptions']).slice(1, 3), ['Word count: 3', 'Estimated sentences: 2']);
  assert.equal(list((easy['output'] as JsonObject)['recommendations']).length, 2);
  const hard = await outputOf('cognitive_accessibility_audit', { content: `pursuant ${'word '.repeat(160)}` });
  assert.equal(list(hard['findings']).length, 3);
  assert.equal(list(hard['recommendations']).length, 6);
  const stepped = await outputOf('cognitive_accessibility_audit', { content: `1. Go. ${'Word here. '.repeat(30)}` });
  assert.equal(list(stepped['recommendations']).length, 2);
});

test('cultural notes follow whole words of region and audience', async () => {
  const count = async (region: string, audience: string) =>
    list((await outputOf('cultural_context_check', { message: 'Hello', audience, region }))['notes']).length;
  assert.equal(await count('Japan', 'partners'), 4);
  assert.equal(await count('the Middle East', 'partners'), 3);
  assert.equal(await count('India', 'seniors'), 5);
  assert.equal(await count('Indiana', 'partners'), 3);
  const { adapted_message: adapted } = await outputOf('cultural_context_check', GOOD['cultural_context_check'] ?? {});
  assert.equal(adapted, '[Adapted for partners audience, global]: hello');
});

test('the de-escalation plan grows with the heat and warns of threats, not of threads', async () => {
  const plan = (situation: string, intensity: string) => outputOf('deescalation_plan', { situation, intensity });
  for (const [intensity, steps, notes] of [
    ['low', 6, 1],
    ['medium', 7, 1],
    ['high', 7, 3],
  ] as const) {
    const output = await plan('They argue about threads and harmony', intensity);
    assert.deepEqual([list(output['plan']).length, list(output['risk_notes']).length], [steps, notes]);
  }
  assert.match(list((await plan('He made a threat', 'low'))['risk_notes'])[0] ?? '', /^ALERT/);
});

test('the reframe changes phrases by tone and leaves neutral alone', async () => {
  const reframed = async (message: string, tone: string) =>
    (await outputOf('empathetic_reframe', { message, tone }))['reframed_message'];
  assert.equal(
    await reframed('Unfortunately we cannot solve your problem', 'warm'),
    'I am sorry to say that we are not able to solve your concern',
  );
  assert.equal(await reframed('Hi, thanks. This is high.', 'formal'), 'Good day, thank you. This is high.');
  assert.equal(await reframed('Hi, you must', 'neutral'), 'Hi, you must');
});

test('design checks follow focus, description and groups', async () => {
  const neuro = (input: JsonObject) => outputOf('neurodiversity_design_check', input);
  assert.equal(list((await neuro({ ui_description: 'A page' }))['recommendations']).length, 14);
  assert.equal(list((await neuro({ ui_description: 'A page', focus: ['ADHD'] }))['recommendations']).length, 3);
  assert.equal(list((await neuro({ ui_description: 'A page', focus: ['other'] }))['recommendations']).length, 2);
  assert.equal(
    list((await neuro({ ui_description: 'A platform in context', focus: ['other'] }))['recommendations']).length,
    2,
  );
  const age = (input: JsonObject) => outputOf('age_inclusive_design_check', input);
  assert.equal(list((await age({ flow_description: 'Read' }))['recommendations']).length, 5);
  assert.equal(list((await age({ flow_description: 'Read', age_groups: ['teens'] }))['recommendations']).length, 3);
  assert.equal(list((await age({ flow_description: 'Read', age_groups: ['other'] }))['recommendations']).length, 4);
  assert.equal(
    list((await age({ flow_description: 'A payment', age_groups: ['teens'] }))['recommendations']).length,
    5,
  );
});

test('the WCAG check reads descriptions and HTML, up to the level asked for', async () => {
  const count = async (target: string, level: string) =>
    (list((await outputOf('wcagaaa_check', { target, level }))['findings']) as unknown[]).length;
  assert.equal(await count('<html lang="en"><head><title>a</title></head><img alt="" src="a"></html>', 'AAA'), 0);
  assert.equal(await count('<html><head></head><img src="a"></html>', 'A'), 3);
  assert.ok((await count('text in a theme', 'AAA')) > (await count('text in a theme', 'A')));
  assert.equal(await count('an imaginary textile', 'AAA'), 0);
});

const HOSTILE = ['<img ', ' ', 'a ', "'", '1. ', 'suicid', 'you  ', 'want to ', '\u0301', '<div onclick '];
for (const part of HOSTILE) {
  test(`half a megabyte of ${JSON.stringify(part)} is answered in time`, async () => {
    const hostile = part.repeat(Math.floor(500_000 / part.length)).concat('x');
    for (const name of NAMES) {
      const [field = ''] = list(entryOf(name).tool.inputSchema['required'] as Json);
      const started = performance.now();
      await run(name, { ...GOOD[name], [field]: hostile });
      assert.ok(performance.now() - started < 15_000, `${name} took ${performance.now() - started} ms`);
    }
  });
}
