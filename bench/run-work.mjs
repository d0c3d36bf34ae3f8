import { isAsked } from './options.mjs';
import { endAll, Skipped } from './serving.mjs';

// One work: every subject is started and warmed up once, then they take turns, each round beginning with another one,
// so that a drift of the machine meets all alike.

/** Why a subject has no figures, in one line. */
function reasonOf(error) {
  if (error instanceof Skipped) return error.message;
  const said = error instanceof Error ? error.message : String(error);
  return `it failed: ${said.split('\n').slice(0, 4).join(' ')}`;
}

/** The subjects of a work: its own, else those of the bench that it can be done with. */
function subjectsOf(work, subjects) {
  if (work.variants !== undefined) return work.variants;
  const able = subjects.filter((subject) => subject[work.over] !== undefined);
  const own = work.subjects === undefined ? able : able.filter(({ id }) => work.subjects.includes(id));
  return [...own, ...(work.more ?? [])];
}

/** Those that were asked for, and the one all are compared with. */
function chosenOf(work, subjects, only) {
  const own = subjectsOf(work, subjects);
  const base = work.baseline ?? 'floor';
  return only.length === 0 ? own : own.filter(({ id }) => id === base || isAsked(id, only));
}

async function openAll(work, subjects, { bench, plan, skip }) {
  const stages = [];
  for (const subject of subjects) {
    try {
      const stage = { subject, samples: [], broken: false, opened: await work.open?.(subject, { bench }) };
      stages.push(stage);
      if (work.warm !== false) await warm(work, stage, { bench, plan });
    } catch (error) {
      skip(subject, reasonOf(error));
      const at = stages.findIndex((stage) => stage.subject === subject);
      if (at !== -1) await closeOne(work, stages.splice(at, 1)[0]);
    }
  }
  return stages;
}

/** Until the subject has worked for long enough to be compiled, however busy the machine is. */
async function warm(work, { opened, subject }, { bench, plan }) {
  const { serving } = opened.client ?? opened;
  const deadline = performance.now() + 20 * plan.warmMs;
  const before = serving.cpu();
  do await work.measure(opened, { ms: plan.warmMs / 2, subject, bench, plan });
  while (serving.cpu() - before < plan.warmMs * 1000 * (subject.workers ?? 1) && performance.now() < deadline);
}

/** The processes of a subject that stayed for the whole work. */
const pidsOf = (opened) => (opened?.client ?? opened)?.serving?.pids ?? [];

async function closeOne(work, { opened }) {
  if (opened !== undefined) await work.close?.(opened);
}

/** One turn of a subject; one that fails is out for the rest of the work. */
async function turn(work, stage, { bench, plan, skip }) {
  if (stage.broken) return;
  const { subject, opened, samples } = stage;
  try {
    samples.push(await work.measure(opened, { ms: plan.ms, subject, bench, plan }));
  } catch (error) {
    stage.broken = true;
    skip(subject, reasonOf(error));
  }
}

/** The samples of every subject, by id, and why some have none. */
export async function runWork(work, { bench, plan, subjects, only }) {
  const skipped = [];
  const skip = (subject, why) => skipped.push({ id: subject.id, name: subject.name, why });
  bench.hot = false;
  const stages = await openAll(work, chosenOf(work, subjects, only), { bench, plan, skip });
  bench.hot = bench.profiles !== undefined;
  const rounds = Math.min(work.rounds?.[plan.name] ?? plan.rounds, plan.most ?? Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round += 1) {
    for (let place = 0; place < stages.length; place += 1) {
      await turn(work, stages[(round + place) % stages.length], { bench, plan, skip });
    }
  }
  for (const stage of stages) await closeOne(work, stage);
  endAll();
  const rows = stages
    .filter(({ broken, samples }) => !broken && samples.length > 0)
    .map(({ subject, samples, opened }) => ({ id: subject.id, name: subject.name, samples, pids: pidsOf(opened) }));
  return { work, rows, skipped };
}
