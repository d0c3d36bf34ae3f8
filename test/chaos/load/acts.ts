import { isObject, type JsonObject } from '../../../src/model/json.ts';
import { since } from '../../scenarios/revisions.ts';
import type { Check } from './ledger.ts';
import { LegacyTalker } from './legacy-talker.ts';
import { ModernTalker } from './modern-talker.ts';
import { SessionTalker } from './session-talker.ts';
import { StdioTalker } from './stdio-talker.ts';
import { type Asked, CAPABILITIES, TASKS, type Talker } from './talker.ts';

/** Something a client does: one or a few requests, with what must come of them. */
export type Act = (talker: Talker, random: () => number) => Promise<unknown>;

/** The answer must be a result that holds this text. */
export function holds(text: string): Check {
  return (answer) => {
    if (answer['result'] === undefined) return `refused: ${JSON.stringify(answer['error'])}`;
    return JSON.stringify(answer['result']).includes(text) ? undefined : `"${text}" is not in the result`;
  };
}

/** The answer must be a refusal with one of these codes. */
export function refusedWith(...codes: string[]): Check {
  return ({ error }) => {
    const data = isObject(error) ? error['data'] : undefined;
    const code = isObject(data) ? String(data['code']) : 'none';
    return codes.length === 0 || codes.includes(code) ? undefined : `refused with ${code}: ${JSON.stringify(error)}`;
  };
}

/** The answer must say that the call failed, in words such as these. */
export function failsSaying(words: RegExp): Check {
  return (answer) => {
    if (failed(answer) && words.test(JSON.stringify(answer))) return undefined;
    return `should fail with ${words}: ${JSON.stringify(answer).slice(0, 200)}`;
  };
}

const upTo = (random: () => number, most: number): number => Math.floor(random() * most);

export const echo: Act = (talker) => {
  const text = talker.nonce();
  return talker.call('plain', { text }, { check: holds(text) });
};

export const slowEcho: Act = (talker, random) => {
  const text = talker.nonce();
  const input = { text, ms: upTo(random, 60), steps: upTo(random, 5) };
  return talker.call('echo', input, { check: holds(text), progress: true });
};

const list: Act = (talker) => talker.request('tools/list', {}, { check: holds('echo') });

const read: Act = (talker) => {
  const uri = `note://${talker.nonce()}`;
  return talker.request('resources/read', { uri }, { check: holds(uri) });
};

const prompt: Act = (talker) => {
  const text = talker.nonce();
  return talker.request('prompts/get', { name: 'say', arguments: { text } }, { check: holds(text) });
};

const unknownTool: Act = (talker) =>
  talker.call('no-such-tool', { text: talker.nonce() }, { check: refusedWith('E_UNKNOWN_TOOL') });

const badInput: Act = (talker) =>
  talker.call('echo', { text: 7, also: talker.nonce() }, { check: (answer) => (failed(answer) ? undefined : 'taken') });

/** A result that says it failed, or a refusal. */
export function failed({ result, error }: JsonObject): boolean {
  return error !== undefined || (isObject(result) && result['isError'] === true);
}

const failing: Act = (talker, random) => {
  const how = ['error', 'async', 'text', 'proxy'][upTo(random, 4)] as string;
  return talker.call('throw', { how }, { check: (answer) => (failed(answer) ? undefined : 'did not fail') });
};

export const cancelled: Act = (talker, random) => {
  const text = talker.nonce();
  return talker.call('echo', { text, ms: 300, steps: 3 }, { progress: true, cancelAfterMs: 1 + upTo(random, 60) });
};

/** Cuts the connection; whoever has a session comes back for the answer. */
export const dropped: Act = (talker, random) => {
  const text = talker.nonce();
  const input = { text, ms: 40 + upTo(random, 80), steps: 4 };
  const canReturn = talker instanceof SessionTalker;
  const asked: Asked = { progress: true, dropAfterMs: 1 + upTo(random, 60) };
  return talker.call('echo', input, canReturn ? { ...asked, check: holds(text) } : asked);
};

/** Nothing can be said of an answer that did not come, or that the faults of this run may have spoilt. */
function excused(talker: Talker, answer: JsonObject | undefined): boolean {
  return answer === undefined || talker.ledger.forgives(answer);
}

const ask: Act = (talker) => (talker.modern ? askInRounds(talker) : askInPlace(talker));

/** The server asks while the call is open; older clients have nobody to ask, and the tool fails. */
function askInPlace(talker: Talker): Promise<unknown> {
  const text = talker.nonce();
  const asks = since(talker.revision, '2025-06-18');
  const refused: Check = (answer) => (failed(answer) ? undefined : 'asked');
  return talker.call('ask', { text }, { check: asks ? holds(`${text} ${talker.secret}`) : refused });
}

/** The server asks in its reply; the client comes back with what it was told to keep. */
async function askInRounds(talker: Talker): Promise<unknown> {
  const text = talker.nonce();
  let answers: JsonObject = {};
  for (let round = 0; round < 4; round += 1) {
    const answer = await talker.request('tools/call', { name: 'ask', arguments: { text }, ...answers });
    if (excused(talker, answer)) return undefined;
    const result = answer?.['result'];
    if (!isObject(result)) return talker.ledger.blame('wrong', `ask: ${JSON.stringify(answer)}`);
    if (result['resultType'] === 'complete')
      return judge(talker, { result }, `${text} ${talker.secret} ${talker.secret}`);
    const keys = Object.keys(result['inputRequests'] as JsonObject);
    const inputResponses = Object.fromEntries(keys.map((key) => [key, talker.elicited()]));
    answers = { inputResponses, requestState: result['requestState'] as string };
  }
  return talker.ledger.blame('wrong', 'ask: asked on and on');
}

function judge(talker: Talker, answer: JsonObject, text: string): void {
  const wrong = holds(text)(answer);
  if (wrong !== undefined) talker.ledger.blame('wrong', wrong);
}

const task: Act = async (talker, random) => {
  const text = talker.nonce();
  const input = { text, ms: upTo(random, 50) };
  if (talker.modern) return modernTask(talker, input);
  if (!since(talker.revision, '2025-11-25')) return talker.call('job', input, { check: holds(text) });
  const begun = await talker.request('tools/call', { name: 'job', arguments: input, task: { ttl: 60_000 } });
  if (excused(talker, begun)) return undefined;
  const ticket = (begun?.['result'] as JsonObject | undefined)?.['task'] as JsonObject | undefined;
  if (ticket === undefined) return talker.ledger.blame('wrong', `no task: ${JSON.stringify(begun)}`);
  return talker.request('tasks/result', { taskId: ticket['taskId'] as string }, { check: holds(text) });
};

async function modernTask(talker: Talker, input: { text: string; ms: number }): Promise<unknown> {
  const capabilities = { ...CAPABILITIES, extensions: { [TASKS]: {} } };
  const begun = await talker.call('job', input, { capabilities });
  if (excused(talker, begun)) return undefined;
  const taskId = (begun?.['result'] as JsonObject | undefined)?.['taskId'];
  if (typeof taskId !== 'string') return talker.ledger.blame('wrong', `no task: ${JSON.stringify(begun)}`);
  let shown: JsonObject | undefined;
  for (let round = 0; round < 200; round += 1) {
    shown = await talker.request('tasks/get', { taskId }, { capabilities });
    if (excused(talker, shown)) return undefined;
    const { status } = (shown?.['result'] ?? {}) as { status?: string };
    if (status === 'completed') return judge(talker, shown as JsonObject, input.text);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return talker.ledger.blame('wrong', `a task never ended: ${JSON.stringify(shown)}`);
}

/** Bytes that are no message, on a pipe. */
const malformed: Act = async (talker, random) => {
  if (!(talker instanceof StdioTalker)) return echo(talker, random);
  const lines = ['{"jsonrpc":"2.0"', '[', 'nonsense', '{"a":1}}', '\u0000', '"\ud800"'];
  const due = talker.ledger.expectRefusal();
  talker.line(lines[upTo(random, lines.length)] as string);
  const timer = setTimeout(() => talker.ledger.giveUp(due), 20_000);
  await due.answer;
  return clearTimeout(timer);
};

const action: Act = async (talker) => {
  const text = talker.nonce();
  await (talker as StdioTalker).action('invoke', { action: 'plain', input: { text } }, text);
};

const slowAction: Act = async (talker, random) => {
  const text = talker.nonce();
  await (talker as StdioTalker).action('invoke', { action: 'echo', input: { text, ms: upTo(random, 20) } }, text);
};

const subscribed: Act = async (talker) => {
  const key = talker.nonce();
  const uri = `note://${key}`;
  let told = 0;
  const leave = talker.onTold(({ method, params }) => {
    if (method === 'notifications/resources/updated' && (params as JsonObject)['uri'] === uri) told += 1;
  });
  const end = await subscribe(talker, uri);
  if (end === undefined) return leave();
  await talker.call('touch', { key }, { check: holds(key) });
  for (let round = 0; told === 0 && round < 1500 && !talker.lossy; round += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  if (told !== 1 && !(talker.lossy && told === 0))
    talker.ledger.blame(told === 0 ? 'lost' : 'doubled', `${told} updates of a watched resource`);
  leave();
  return end();
};

async function subscribe(talker: Talker, uri: string): Promise<(() => Promise<unknown>) | undefined> {
  if (talker instanceof ModernTalker) return talker.listen({ resourceSubscriptions: [uri] });
  if (talker.modern || (talker instanceof SessionTalker && !talker.listens)) return undefined;
  await talker.request('resources/subscribe', { uri });
  return () => talker.request('resources/unsubscribe', { uri });
}

const COMMON: readonly (readonly [number, Act])[] = [
  [30, echo],
  [12, slowEcho],
  [4, list],
  [8, read],
  [6, prompt],
  [3, unknownTool],
  [3, badInput],
  [4, failing],
  [8, ask],
  [6, task],
  [5, subscribed],
  [5, cancelled],
];
const ACTIONS: readonly (readonly [number, Act])[] = [
  [8, action],
  [2, slowAction],
  [1, malformed],
];

/** Something at random that a client of this kind can do. */
export function actOf(talker: Talker, random: () => number): Act {
  const acts = actsOf(talker);
  let at = random() * acts.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, act] of acts) {
    at -= weight;
    if (at < 0) return act;
  }
  return echo;
}

function actsOf(talker: Talker): readonly (readonly [number, Act])[] {
  if (talker.revision === 'action') return ACTIONS;
  if (talker instanceof StdioTalker) return [...COMMON, [1, malformed]];
  return talker instanceof LegacyTalker ? COMMON : [...COMMON, [5, dropped]];
}
