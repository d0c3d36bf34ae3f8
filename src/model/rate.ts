/** How often something may be done: this many times at once, and this many times a second after that. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** A bucket that takes longer to fill up would be kept for longer than anybody remembers it. */
const LONGEST_SECONDS = 86_400;

/** Throws `RangeError` for a rate that no bucket can keep; `what` begins the message. */
export function checkRate({ perSecond, burst }: RateLimit, what: string): void {
  if (!(Number.isFinite(perSecond) && perSecond > 0)) {
    throw new RangeError(`${what}: the rate must be a number above 0: ${perSecond}`);
  }
  if (!(Number.isSafeInteger(burst) && burst > 0)) {
    throw new RangeError(`${what}: the burst must be a whole number above 0: ${burst}`);
  }
  if (burst / perSecond > LONGEST_SECONDS) {
    throw new RangeError(`${what}: a burst of ${burst} at ${perSecond} a second takes over a day to come back`);
  }
}

/** A wait in words: whole seconds, since nobody waits more exactly. */
export function waitText(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}
