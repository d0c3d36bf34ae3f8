import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mediansOf, ratioOf } from './figures.mjs';

// The ratios of the last recorded run, and whether a later one lost against them.

const FILE = new URL('recorded.json', import.meta.url);
/** A loss up to this is noise. */
export const TOLERANCE = 0.15;

const HIGHER_IS_BETTER = new Set(['perSecond']);
const GUARDED = { rate: ['perSecond', 'cpu'], start: ['ms'], memory: [] };

const isOurs = (work, { id }) => work.variants !== undefined || id.startsWith('parley');

const rounded = (value) => Number(value.toPrecision(4));

/** The guarded ratios of one row, by figure, and what is guarded as it is. */
function guardedOf(work, row, base) {
  const figures = base === undefined ? [] : GUARDED[work.kind ?? 'rate'];
  const ratios = figures.map((figure) => [figure, ratioOf(row.samples, base.samples, figure)]);
  const plain = work.guards === undefined ? [] : [[work.guards, mediansOf(row.samples)[work.guards]]];
  return [...ratios, ...plain].filter(([, value]) => value !== undefined);
}

/** What is worth keeping of a run: ratios to the baseline of each work, and by name what is no ratio. */
export function ratiosOf(results) {
  const entries = results.flatMap(({ work, rows }) => {
    const base = rows.find(({ id }) => id === (work.baseline ?? 'floor'));
    const ours = rows.filter((row) => row !== base && isOurs(work, row));
    return ours.flatMap((row) =>
      guardedOf(work, row, base).map(([figure, value]) => [`${work.id}/${row.id}/${figure}`, rounded(value)]),
    );
  });
  return Object.fromEntries(entries);
}

/** How much was lost, as a share of what was: 0.2 for a fifth. Below zero when something was won. */
export function lossOf(key, before, now) {
  return HIGHER_IS_BETTER.has(key.split('/').at(-1)) ? 1 - now / before : 1 - before / now;
}

/** What is worse than it was by more than is tolerated. */
export function lossesOf(before, now) {
  return Object.entries(before)
    .filter(([key]) => now[key] !== undefined)
    .map(([key, was]) => ({ key, was, is: now[key], loss: lossOf(key, was, now[key]) }))
    .filter(({ loss }) => loss > TOLERANCE);
}

/** The last recorded run, `undefined` when there is none. */
export function readRecorded() {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : undefined;
}

/** Keeps the ratios of a run for the next check; those of works that were not done stay as they were. */
export function writeRecorded({ machine, date, ratios }) {
  const before = readRecorded()?.ratios ?? {};
  const all = Object.entries({ ...before, ...ratios }).sort(([a], [b]) => (a < b ? -1 : 1));
  const { node, processor, processors } = machine;
  writeFileSync(
    FILE,
    `${JSON.stringify({ date, node, processor, processors, ratios: Object.fromEntries(all) }, null, 2)}\n`,
  );
}
