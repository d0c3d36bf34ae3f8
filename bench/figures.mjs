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

/** How far values lie apart: half the distance of the outermost, as a share of the middle one. */
export function spread(values) {
  return values.length < 2 ? 0 : (Math.max(...values) - Math.min(...values)) / 2 / Math.abs(median(values));
}

const present = (value) => value !== undefined && Number.isFinite(value);

/** By figure, the median over the rounds. */
export function mediansOf(samples) {
  const keys = new Set(samples.flatMap((sample) => Object.keys(sample)));
  const all = [...keys].map((key) => [key, samples.map((sample) => sample[key]).filter(present)]);
  return Object.fromEntries(
    all.filter(([, values]) => values.length > 0).map(([key, values]) => [key, median(values)]),
  );
}

/** The median of each round's ratio, so that a drift of the machine cancels out. */
export function ratioOf(ours, theirs, figure) {
  const ratios = ours.map((sample, round) => sample[figure] / theirs[round]?.[figure]).filter(present);
  return ratios.length === 0 ? undefined : median(ratios);
}
