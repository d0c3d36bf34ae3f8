import { isObject, type JsonObject } from '../../../src/model/json.ts';
import { since } from '../../scenarios/revisions.ts';
import { holds } from '../load/acts.ts';
import { CAPABILITIES, TASKS } from '../load/talker.ts';
import { LegacyRoamer } from './legacy-roamer.ts';
import { ModernRoamer } from './modern-roamer.ts';
import { type Attempt, codeOf, pause, type Roamer, type Wish } from './roamer.ts';
import { SessionRoamer } from './session-roamer.ts';

/** Something a client sets out to do, with what must come of it. */
export type Deed = (roamer: Roamer, random: () => number) => Promise<unknown>;

interface Plan extends Wish {
  readonly method: string;
  readonly params: JsonObject;
}

const INSISTS_MS = 60_000;
const AGAIN_MS = 50;
const HEARS_MS = 25_000;
const TASK_TRIES = 3;

const upTo = (random: () => number, most: number): number => Math.floor(random() * most);

/** Whether a client of good manners sends it again. */
function again({ end, code, waitMs }: Attempt, idempotent: boolean): boolean {
  if (end === 'answered' && code === undefined) return false;
  return waitMs !== undefined || end === 'forgotten' || (end === 'refused' && code !== 'none') || idempotent;
}

/** Asks until there is a result, as long as asking again does no harm. */
async function insist(roamer: Roamer, plan: Plan, tries = Number.POSITIVE_INFINITY): Promise<Attempt> {
  const { method, params, idempotent = false, what = method } = plan;
  const from = performance.now();
  for (let round = 1; ; round += 1) {
    await roamer.ready();
    const attempt = await roamer.attempt(method, params, { ...plan, idempotent });
    const ms = performance.now() - from;
    if (attempt.end === 'answered' && attempt.code === undefined)
      roamer.history.add(roamer.name, { kind: 'done', deed: what, ms });
    if (!again(attempt, idempotent) || round >= tries) return attempt;
    if (ms > INSISTS_MS) {
      const why = `${attempt.end} ${attempt.code ?? ''}`;
      roamer.history.add(roamer.name, { kind: 'undone', deed: what, why });
      return attempt;
    }
    await pause(attempt.waitMs ?? AGAIN_MS);
  }
}

interface Calling extends Wish {
  readonly name: string;
  readonly input: JsonObject;
}

function call(roamer: Roamer, { name, input, ...wish }: Calling): Promise<Attempt> {
  const plan = { idempotent: true, what: name, stateless: roamer.modern, ...wish };
  return insist(roamer, { method: 'tools/call', params: { name, arguments: input }, ...plan });
}

const echo: Deed = (roamer) => {
  const text = roamer.nonce();
  return call(roamer, { name: 'plain', input: { text }, check: holds(text) });
};

const slow: Deed = (roamer, random) => {
  const text = roamer.nonce();
  const steps = 1 + upTo(random, 4);
  const input = { text, ms: 100 + upTo(random, 900), steps };
  return call(roamer, { name: 'echo', input, check: holds(text), progress: true, what: 'slow' });
};

const dropped: Deed = (roamer, random) => {
  const text = roamer.nonce();
  const input = { text, ms: 300 + upTo(random, 500), steps: 5 };
  const dropAfterMs = 50 + upTo(random, 400);
  return call(roamer, { name: 'echo', input, check: holds(text), progress: true, dropAfterMs, what: 'dropped' });
};

const count: Deed = (roamer, random) => {
  const key = roamer.nonce();
  const steps = upTo(random, 2) * 3;
  const input = { key, ms: upTo(random, 600), steps };
  return call(roamer, { name: 'count', input, check: holds(key), progress: steps > 0, idempotent: false });
};

const ask: Deed = (roamer) => (roamer.modern ? askInRounds(roamer) : askInPlace(roamer));

function askInPlace(roamer: Roamer): Promise<unknown> {
  const text = roamer.nonce();
  const check = (answer: JsonObject): string | undefined =>
    codeOf(answer) === 'isError' ? undefined : holds(`${text} ${roamer.secret} ${roamer.secret}`)(answer);
  return call(roamer, { name: 'ask', input: { text }, check, stateless: false });
}

async function askInRounds(roamer: Roamer): Promise<unknown> {
  const text = roamer.nonce();
  let answers: JsonObject = {};
  for (let round = 0; round < 4; round += 1) {
    const params = { name: 'ask', arguments: { text }, ...answers };
    const plan = { method: 'tools/call', params, idempotent: true, stateless: true, what: 'ask' };
    const result = (await insist(roamer, plan)).answer?.['result'];
    if (!isObject(result)) return undefined;
    if (result['resultType'] === 'complete') {
      const wrong = holds(`${text} ${roamer.secret} ${roamer.secret}`)({ result });
      return wrong === undefined ? undefined : roamer.ledger.blame('wrong', wrong);
    }
    const keys = Object.keys(result['inputRequests'] as JsonObject);
    const inputResponses = Object.fromEntries(keys.map((key) => [key, roamer.elicited()]));
    answers = { inputResponses, requestState: result['requestState'] as string };
  }
  return roamer.ledger.blame('wrong', 'ask: asked on and on');
}

const task: Deed = async (roamer, random) => {
  const input = { text: roamer.nonce(), ms: 50 + upTo(random, 600) };
  return roamer.modern ? modernTask(roamer, input) : sessionTask(roamer, input);
};

async function sessionTask(roamer: Roamer, input: { text: string; ms: number }): Promise<unknown> {
  const params = { name: 'job', arguments: input, task: { ttl: 120_000 } };
  const begun = await insist(roamer, { method: 'tools/call', params, idempotent: true, what: 'task' });
  const ticket = (begun.answer?.['result'] as JsonObject | undefined)?.['task'] as JsonObject | undefined;
  if (ticket === undefined) return undefined;
  const plan = { method: 'tasks/result', params: { taskId: ticket['taskId'] as string }, check: holds(input.text) };
  return insist(roamer, { ...plan, idempotent: true }, TASK_TRIES);
}

async function modernTask(roamer: Roamer, input: { text: string; ms: number }): Promise<unknown> {
  const capabilities = { ...CAPABILITIES, extensions: { [TASKS]: {} } };
  const begun = await call(roamer, { name: 'job', input, capabilities, stateless: false, what: 'task' });
  const taskId = (begun.answer?.['result'] as JsonObject | undefined)?.['taskId'];
  if (typeof taskId !== 'string') return undefined;
  for (let round = 0; round < 400; round += 1) {
    const plan = { method: 'tasks/get', params: { taskId }, capabilities, idempotent: true };
    const result = (await insist(roamer, plan, TASK_TRIES)).answer?.['result'];
    if (!isObject(result) || result['status'] === 'failed') return undefined;
    if (result['status'] === 'completed') {
      const wrong = holds(input.text)({ result });
      return wrong === undefined ? undefined : roamer.ledger.blame('wrong', wrong);
    }
    await pause(AGAIN_MS);
  }
  return roamer.history.add(roamer.name, { kind: 'undone', deed: 'task', why: 'it never ended' });
}

const subscribed: Deed = async (roamer) => {
  const key = roamer.nonce();
  const uri = `note://${key}`;
  let told = 0;
  const leave = roamer.onTold(({ method, params }) => {
    if (method === 'notifications/resources/updated' && (params as JsonObject)['uri'] === uri) told += 1;
  });
  const { end, certain } = await subscribe(roamer, uri);
  await call(roamer, { name: 'touch', input: { key }, check: holds(key) });
  const until = performance.now() + HEARS_MS;
  while (told === 0 && certain() && performance.now() < until) await pause(AGAIN_MS);
  if (told === 0 && certain()) {
    const why = `no word of an update in ${HEARS_MS} ms`;
    roamer.history.add(roamer.name, { kind: 'undone', deed: 'subscribed', why });
  }
  leave();
  await end();
};

interface Subscription {
  end(): unknown;
  /** Whether nothing happened that lets the client know that it may have missed something. */
  certain(): boolean;
}

async function subscribe(roamer: Roamer, uri: string): Promise<Subscription> {
  if (roamer instanceof ModernRoamer) {
    const end = await roamer.subscribe(uri);
    const before = roamer.interruptions;
    return { end, certain: () => roamer.interruptions === before };
  }
  const wish = { params: { uri }, idempotent: true };
  const { code } = await insist(roamer, { method: 'resources/subscribe', ...wish });
  const other = roamer as SessionRoamer;
  const { session } = other;
  return {
    end: () => insist(roamer, { method: 'resources/unsubscribe', ...wish }),
    certain: () => code === undefined && other.session === session && !other.forgotten,
  };
}

/** Looks for somebody else's session. */
function pry(sessions: () => readonly string[]): Deed {
  return async (roamer, random) => {
    const all = sessions();
    const session = all[upTo(random, all.length)];
    if (!(roamer instanceof SessionRoamer) || session === undefined || session === roamer.session) return;
    const status = await roamer.pry(session);
    if (status !== 0 && status !== 404 && status !== 503)
      roamer.ledger.blame('crossed', `the session of somebody else answers ${status}`);
  };
}

const COMMON: readonly (readonly [number, Deed])[] = [
  [30, echo],
  [15, slow],
  [15, count],
];

/** What clients of each kind do; `sessions` are those that are open now. */
export function deedsOf(roamer: Roamer, sessions: () => readonly string[]): readonly (readonly [number, Deed])[] {
  if (roamer instanceof LegacyRoamer) return COMMON;
  if (roamer.modern) return [...COMMON, [8, ask], [6, task], [6, subscribed]];
  const asks: readonly (readonly [number, Deed])[] = since(roamer.revision, '2025-06-18') ? [[8, ask]] : [];
  const tasks: readonly (readonly [number, Deed])[] = since(roamer.revision, '2025-11-25') ? [[6, task]] : [];
  return [...COMMON, ...asks, ...tasks, [6, subscribed], [8, dropped], [2, pry(sessions)]];
}

/** One of them, by its weight. */
export function pick(deeds: readonly (readonly [number, Deed])[], random: () => number): Deed {
  let at = random() * deeds.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, deed] of deeds) {
    at -= weight;
    if (at < 0) return deed;
  }
  return echo;
}
