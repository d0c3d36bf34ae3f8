import { mediansOf, ratioOf, spread } from './figures.mjs';

// Results as tables, for a terminal and for a document.

const number = (value, digits) => (value === undefined ? '–' : value.toFixed(digits));
const count = (value) => (value === undefined ? '–' : Math.round(value).toLocaleString('en'));
const short = (value) => (value !== undefined && value < 100 ? number(value, 1) : count(value));
const ratio = (value) => number(value, value !== undefined && value < 0.1 ? 3 : 2);

/** From this share of a processor on, the load may be what holds a subject back. */
const BUSY_LOAD = 0.9;
const share = (value) => (value === undefined ? '–' : `${Math.round(value * 100)} %${value > BUSY_LOAD ? ' !' : ''}`);

const RATE = [
  ['per second', ({ figures }) => short(figures.perSecond)],
  ['× base', ({ ratios }) => ratio(ratios.perSecond)],
  ['CPU µs', ({ figures }) => short(figures.cpu)],
  ['× base', ({ ratios }) => ratio(ratios.cpu)],
  ['±', ({ apart }) => `${Math.round(apart.cpu * 100)} %`],
  ['p50 µs', ({ figures }) => count(figures.p50)],
  ['p99 µs', ({ figures }) => count(figures.p99)],
  ['load', ({ figures }) => share(figures.generator)],
];
const PEAK = [
  ['peak MB', ({ figures }) => count(figures.peak)],
  ['× base', ({ ratios }) => ratio(ratios.peak)],
];
const START = [
  ['ms', ({ figures }) => count(figures.ms)],
  ['× base', ({ ratios }) => ratio(ratios.ms)],
  ['CPU ms', ({ figures }) => count(figures.cpuMs)],
  ['× base', ({ ratios }) => ratio(ratios.cpuMs)],
  ['±', ({ apart }) => `${Math.round(apart.ms * 100)} %`],
];
const MEMORY = [
  ['heap KB', ({ figures }) => number(figures.heap, 1)],
  ['resident KB', ({ figures }) => number(figures.rss, 1)],
];

function columnsOf(work, rows) {
  if (work.kind === 'start') return START;
  if (work.kind === 'memory') return MEMORY;
  return rows.some(({ figures }) => figures.peak !== undefined) ? [...RATE, ...PEAK] : RATE;
}

/** A row with its medians, its ratios to the baseline and how far its rounds lie apart. */
export function summarise({ work, rows }) {
  const base = rows.find(({ id }) => id === (work.baseline ?? 'floor'));
  return rows.map(({ id, name, samples }) => {
    const figures = mediansOf(samples);
    const each = Object.keys(figures);
    const over = (make) => Object.fromEntries(each.map((key) => [key, make(key)]));
    return {
      id,
      name,
      figures,
      ratios: over((key) => (base === undefined ? undefined : ratioOf(samples, base.samples, key))),
      apart: over((key) => spread(samples.map((sample) => sample[key]))),
    };
  });
}

/** Title, labels and cells of a result. */
export function gridOf(result) {
  const rows = summarise(result);
  const columns = columnsOf(result.work, rows);
  return {
    labels: columns.map(([label]) => label),
    lines: rows.map((row) => [row.name, ...columns.map(([, cell]) => cell(row))]),
  };
}

/** A result for a terminal. */
export function renderPlain(result) {
  const { labels, lines } = gridOf(result);
  const width = Math.max(24, ...lines.map(([name]) => name.length)) + 2;
  const pad = (cells) => cells.map((cell) => cell.padStart(11)).join('');
  return [
    result.work.title,
    `${' '.repeat(width)}${pad(labels)}`,
    ...lines.map(([name, ...cells]) => `  ${name}`.padEnd(width) + pad(cells)),
    ...result.skipped.map(({ name, why }) => `  ${name}: not measured: ${why}`),
  ].join('\n');
}

/** A table in Markdown; all columns but the first are numbers. */
export function markdownTable(head, lines) {
  const row = (cells) => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, index) => (index === 0 ? '---' : '--:'));
  return [row(head), row(rule), ...lines.map(row)].join('\n');
}
