import type { RateLimit } from '../model/rate.ts';

/** What was said about the rate: parts that replace those of the preset, or that there is no limit. */
export type RateChoice = Partial<RateLimit> | 'off' | undefined;

/** Enough for a client that starts, with its handshake and lists, and for a second one. */
const LEAST_BURST = 20;
/** A client that was quiet for this long has its whole burst again. */
const SECONDS_OF_BURST = 2;

/** The limit in force: what was said, over what the preset says. */
export function rateLimitOf(choice: RateChoice, preset: RateLimit | undefined): RateLimit | undefined {
  if (choice === 'off') return undefined;
  const perSecond = choice?.perSecond ?? preset?.perSecond;
  if (perSecond === undefined) {
    if (choice?.burst === undefined) return undefined;
    throw new TypeError('Cannot limit the rate: a burst needs a rate, so say --rate-limit too');
  }
  const burst = choice?.burst ?? preset?.burst ?? Math.max(LEAST_BURST, Math.ceil(perSecond * SECONDS_OF_BURST));
  return { perSecond, burst };
}
