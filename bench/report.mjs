/** The middle and the slowest of times in milliseconds, in microseconds. */
export function quantiles(times) {
  const sorted = Float64Array.from(times).sort();
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] * 1000;
  return { p50: at(0.5), p99: at(0.99) };
}

/** The middle value. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Medians over the rounds, and the medians of each round's ratio to the floor of the same round. */
export function summarise(samples, floor) {
  const summary = {};
  for (const [key, values] of Object.entries(samples)) {
    summary[key] = median(values);
    summary[`${key}Ratio`] = median(values.map((value, round) => value / floor[key][round]));
  }
  return summary;
}

const number = (value, digits) => (value === undefined ? '–' : value.toFixed(digits));
const count = (value) => (value === undefined ? '–' : Math.round(value).toLocaleString('en'));

const COLUMNS = [
  ['per second', ({ perSecond }) => count(perSecond)],
  ['× floor', ({ perSecondRatio }) => number(perSecondRatio, 2)],
  ['CPU µs', ({ cpu }) => number(cpu, 1)],
  ['× floor', ({ cpuRatio }) => number(cpuRatio, 2)],
  ['p50 µs', ({ p50 }) => count(p50)],
  ['p99 µs', ({ p99 }) => count(p99)],
];
const MEMORY_COLUMNS = [
  ['heap KB', ({ heap }) => number(heap, 1)],
  ['process KB', ({ rss }) => number(rss, 1)],
];
const START_COLUMNS = [
  ['ms', ({ ms }) => number(ms, 0)],
  ['× floor', ({ msRatio }) => number(msRatio, 2)],
];

/** One table, a block a measurement. */
export function render(blocks) {
  const names = blocks.flatMap(({ rows }) => rows.map(({ name }) => name));
  const width = Math.max(...names.map((name) => name.length), ...blocks.map(({ title }) => title.length)) + 2;
  const lines = blocks.flatMap(({ title, rows, kind }) => {
    const columns = { start: START_COLUMNS, memory: MEMORY_COLUMNS }[kind] ?? COLUMNS;
    return [
      title.padEnd(width) + columns.map(([label]) => label.padStart(11)).join(''),
      ...rows.map(({ name, summary }) =>
        [`  ${name}`.padEnd(width), ...columns.map(([, cell]) => cell(summary).padStart(11))].join(''),
      ),
      '',
    ];
  });
  return lines.join('\n');
}
