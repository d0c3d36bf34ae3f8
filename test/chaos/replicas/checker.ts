import type { Entry } from './history.ts';

/** What a fault may cause, and what it may not. */
export interface Rules {
  /** Connections may be cut, and calls in flight be lost with their replica. */
  readonly cuts: boolean;
  /** The engine may be out of reach, so that what needs it is refused for a while. */
  readonly refuses: boolean;
  /** The engine loses what it was given. */
  readonly forgets: boolean;
  /** Nobody can serve before the fault is over: time to resume counts from there. */
  readonly outage: boolean;
}

/** What the history of a run says. */
export interface Verdict {
  requests: number;
  lost: number;
  doubled: number;
  disordered: number;
  wrong: number;
  /** Answers whose connection was cut while a fault lasted, and that had no other way. */
  cut: number;
  /** Calls that were answered with the word that their replica is gone. */
  gone: number;
  refused: number;
  gaps: number;
  sessionsLost: number;
  startedTwice: number;
  /** Milliseconds until clients that were hit had an answer again. */
  readonly resumeMs: number[];
  /** How long calls that need no store took while a fault lasted, and otherwise. */
  readonly statelessMs: number[];
  readonly calmMs: number[];
  /** How long a refusal for want of the store took. */
  readonly refusedMs: number[];
  readonly problems: string[];
}

interface Request {
  readonly client: string;
  readonly id: string;
  readonly what: string;
  readonly from: number;
  readonly stateless: boolean;
  to: number;
  answers: number;
  code: string | undefined;
  end: NoAnswer | undefined;
}

const NO_ANSWER = ['cut', 'unsure', 'left', 'gap', 'silent'] as const;
type NoAnswer = (typeof NO_ANSWER)[number];
const isEnd = (kind: string): kind is NoAnswer => (NO_ANSWER as readonly string[]).includes(kind);

type Spans = readonly (readonly [from: number, to: number])[];

/** After a fault is over its traces are still forgiven for so long. */
const GRACE_MS = 5000;
/** A refusal for want of the store that takes longer is a hang. */
const HANGS_MS = 6000;
const AWAY = 'E_STORE_AWAY';
/** What is said of calls that ended with their replica. */
const GONE = new Set(['E_CLOSED', 'channel gone', 'isError', 'E_UNANSWERED']);
const FORGOTTEN = new Set(['E_UNKNOWN_SESSION', 'E_UNKNOWN_TASK']);

/** Holds the history of one run against what was promised. */
export function examine(entries: readonly Entry[], starts: ReadonlyMap<string, number>, rules: Rules): Verdict {
  const verdict = emptyVerdict();
  const spans = spansOf(entries);
  const requests = requestsOf(entries, verdict);
  verdict.requests = requests.length;
  for (const request of requests) judge(request, { verdict, rules, spans });
  for (const [key, count] of starts)
    if (count > 1) note(verdict, 'startedTwice', `"${key}" was started ${count} times`);
  checkOrder(entries, verdict);
  for (const entry of entries) judgeEntry(entry, rules, verdict);
  for (const span of spans) verdict.resumeMs.push(...resumeTimes(entries, span, rules.outage));
  return verdict;
}

function emptyVerdict(): Verdict {
  const counts = { requests: 0, lost: 0, doubled: 0, disordered: 0, wrong: 0, cut: 0, gone: 0, refused: 0, gaps: 0 };
  const times = { resumeMs: [], statelessMs: [], calmMs: [], refusedMs: [] };
  return { ...counts, ...times, sessionsLost: 0, startedTwice: 0, problems: [] };
}

type Count = 'lost' | 'doubled' | 'disordered' | 'wrong' | 'sessionsLost' | 'startedTwice';

function note(verdict: Verdict, count: Count, problem: string): void {
  verdict[count] += 1;
  verdict.problems.push(`${count}: ${problem}`);
}

function spansOf(entries: readonly Entry[]): Spans {
  const spans: [number, number][] = [];
  for (const entry of entries) {
    if (entry.kind !== 'fault') continue;
    const last = spans.at(-1);
    if (entry.phase === 'on') spans.push([entry.at, Number.POSITIVE_INFINITY]);
    else if (last !== undefined) last[1] = entry.at;
  }
  return spans;
}

function during(spans: Spans, { from, to }: { from: number; to: number }): boolean {
  return spans.some(([on, off]) => from <= off + GRACE_MS && to >= on);
}

/** Every request with everything that came of it. */
function requestsOf(entries: readonly Entry[], verdict: Verdict): Request[] {
  const requests = new Map<string, Request>();
  for (const entry of entries) {
    if (!('id' in entry)) continue;
    const { client, id, at } = entry;
    const key = `${client} ${id}`;
    if (entry.kind === 'sent') {
      const { what, stateless } = entry;
      const open = { to: at, answers: 0, code: undefined, end: undefined };
      requests.set(key, { client, id, what, from: at, stateless, ...open });
      continue;
    }
    const request = requests.get(key);
    if (request !== undefined) record(request, entry);
    else if (entry.kind === 'answered' && !id.startsWith('null'))
      note(verdict, 'wrong', `${client} heard an answer to nothing it asked: ${id}`);
  }
  return [...requests.values()];
}

function record(request: Request, entry: Entry): void {
  if (entry.kind === 'resumed') return;
  if (request.answers === 0) request.to = entry.at;
  if (entry.kind === 'answered') {
    if (request.answers === 0) request.code = entry.code;
    request.answers += 1;
  } else if (isEnd(entry.kind)) request.end = entry.kind;
}

interface Court {
  readonly verdict: Verdict;
  readonly rules: Rules;
  readonly spans: Spans;
}

function judge(request: Request, court: Court): void {
  const { verdict, spans } = court;
  const { client, id, what, answers, from, to, code, stateless } = request;
  if (answers > 1) note(verdict, 'doubled', `${client} ${what} ${id}: ${answers} answers`);
  if (answers === 0) judgeUnanswered(request, court);
  else if (code !== undefined) judgeRefused({ ...request, code }, court);
  else if (stateless) (during(spans, request) ? verdict.statelessMs : verdict.calmMs).push(to - from);
}

function judgeUnanswered(request: Request, { verdict, rules, spans }: Court): void {
  const { client, id, what, end, from, to } = request;
  const excusable = during(spans, request);
  if (end === 'left') return;
  if (end === 'cut' && rules.cuts && excusable) verdict.cut += 1;
  else if (end === 'unsure' && rules.refuses && excusable) verdict.cut += 1;
  else if (end === 'gap' && rules.forgets && excusable) verdict.gaps += 1;
  else note(verdict, 'lost', `${client} ${what} ${id}: ${end ?? 'nothing'} after ${Math.round(to - from)} ms`);
}

function judgeRefused(request: Request & { code: string }, { verdict, rules, spans }: Court): void {
  const { client, what, id, code, from, to, stateless } = request;
  const excusable = during(spans, request);
  const ms = Math.round(to - from);
  const told = `${client} ${what} ${id}: ${code} after ${ms} ms`;
  if (code === AWAY && stateless) note(verdict, 'wrong', `${told}, and it needs no store`);
  else if (code === AWAY && rules.refuses && excusable) {
    verdict.refused += 1;
    verdict.refusedMs.push(to - from);
    if (ms > HANGS_MS) note(verdict, 'wrong', `${told}: the refusal came too late`);
  } else if (GONE.has(code) && excusable) verdict.gone += 1;
  else if (FORGOTTEN.has(code) && rules.forgets && excusable) verdict.gone += 1;
  else note(verdict, 'wrong', told);
}

/** Within a stream nothing is left out, repeated or moved. */
function checkOrder(entries: readonly Entry[], verdict: Verdict): void {
  const last = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind !== 'event') continue;
    const { client, session, stream, number, bare } = entry;
    const key = `${client} ${session} ${stream}`;
    const before = last.get(key);
    last.set(key, number);
    const first = stream === '0' ? number : Number(!bare);
    const expected = before === undefined ? first : before + Number(!bare);
    if (number !== expected)
      note(verdict, 'disordered', `${client}: event ${stream}.${number} after ${before ?? 'nothing'}`);
  }
}

function judgeEntry(entry: Entry, rules: Rules, verdict: Verdict): void {
  const { client, kind } = entry;
  if (kind === 'undone') note(verdict, 'lost', `${client} never got ${entry.deed} done: ${entry.why}`);
  else if (kind === 'forgotten' && rules.forgets) verdict.sessionsLost += 1;
  else if (kind === 'forgotten') note(verdict, 'sessionsLost', `${client} lost its session`);
  else if (kind === 'gap' && entry.id === 'main') {
    if (rules.forgets) verdict.gaps += 1;
    else note(verdict, 'disordered', `${client}: a gap in the stream of its session`);
  }
}

function isHit(entry: Entry): boolean {
  const { kind } = entry;
  if (kind === 'answered') return entry.code !== undefined;
  return (
    kind === 'cut' ||
    kind === 'unsure' ||
    kind === 'resumed' ||
    kind === 'gap' ||
    kind === 'forgotten' ||
    kind === 'reopened'
  );
}

/** For each client that was hit: how long until it had an answer again. */
function resumeTimes(entries: readonly Entry[], [on, off]: readonly [number, number], outage: boolean): number[] {
  const hits = new Map<string, number>();
  const times: number[] = [];
  for (const entry of entries) {
    const { at, client } = entry;
    if (at < on) continue;
    if (isHit(entry) && at <= off + GRACE_MS && !hits.has(client)) hits.set(client, outage ? Math.max(at, off) : at);
    const hit = hits.get(client);
    if (hit === undefined || hit < 0 || entry.kind !== 'answered' || entry.code !== undefined || at < hit) continue;
    times.push(at - hit);
    hits.set(client, -1);
  }
  return times;
}
