import { readFileSync } from 'node:fs';
import { mediansOf, ratioOf } from './figures.mjs';

/** What must be reached, as data. */
export const TARGETS = JSON.parse(readFileSync(new URL('targets.json', import.meta.url), 'utf8'));

const OURS = 'parley';

function rowOf(results, work, subject) {
  return results.find((result) => result.work.id === work)?.rows.find(({ id }) => id === subject);
}

function measuredValue({ work, subject = OURS, figure, against, againstWork = work, inverse }, results) {
  const ours = rowOf(results, work, subject);
  if (ours === undefined) return undefined;
  if (against === undefined) return mediansOf(ours.samples)[figure];
  const theirs = rowOf(results, againstWork, against);
  if (theirs === undefined) return undefined;
  return inverse === true
    ? ratioOf(theirs.samples, ours.samples, figure)
    : ratioOf(ours.samples, theirs.samples, figure);
}

/** Each target with its value and what became of it: reached, missed or not measured. */
export function judge(targets, results, { processors }) {
  return targets.map((target) => {
    const needed = target.processors ?? 1;
    if (processors < needed) {
      return { ...target, verdict: 'not measured', why: `needs ${needed} processors, there are ${processors}` };
    }
    const value = measuredValue(target, results);
    if (value === undefined) return { ...target, verdict: 'not measured' };
    const reached = target.atLeast === undefined ? value <= target.atMost : value >= target.atLeast;
    return reached ? { ...target, value, verdict: 'reached' } : missed(target, value);
  });
}

/** A target that is known to be hard to reach says why. */
function missed({ ifMissed, ...target }, value) {
  return { ...target, value, verdict: 'missed', ...(ifMissed === undefined ? {} : { why: ifMissed }) };
}

/** The bound of a target in words. */
export function boundOf({ atLeast, atMost }) {
  return atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
}
