/** What the heap held after so many requests. */
export interface Sample {
  readonly requests: number;
  readonly heap: number;
}

/** How much the heap grows with each request, in bytes: the line that fits the samples best. */
export function slopeOf(samples: readonly Sample[]): number {
  const count = samples.length;
  if (count < 2) return 0;
  const mean = (read: (sample: Sample) => number): number => samples.reduce((sum, one) => sum + read(one), 0) / count;
  const [requests, heap] = [mean((one) => one.requests), mean((one) => one.heap)];
  const spread = samples.reduce((sum, one) => sum + (one.requests - requests) ** 2, 0);
  if (spread === 0) return 0;
  return samples.reduce((sum, one) => sum + (one.requests - requests) * (one.heap - heap), 0) / spread;
}
