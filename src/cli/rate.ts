import type { Settings } from '../host/settings.ts';
import { UsageError } from './command.ts';

/** Reads `--rate-limit` and `--rate-burst`; `undefined` when neither was said. */
export function readRate(rate: string | undefined, burst: string | undefined): Settings['rateLimit'] {
  if (rate === undefined && burst === undefined) return undefined;
  if (rate === 'off' || rate === '0') return 'off';
  return {
    ...(rate === undefined ? {} : { perSecond: perSecondOf(rate) }),
    ...(burst === undefined ? {} : { burst: burstOf(burst) }),
  };
}

function perSecondOf(text: string): number {
  const [, digits] = /^(\d{1,9}(?:\.\d{1,9})?)(?:\/s)?$/.exec(text) ?? [];
  const rate = Number(digits);
  if (rate > 0) return rate;
  throw new UsageError(`Cannot use the rate limit "${text}": give requests a second such as "10" or "0.5/s", or "off"`);
}

function burstOf(text: string): number {
  const burst = Number(text);
  if (/^\d{1,9}$/.test(text) && burst > 0) return burst;
  throw new UsageError(`Cannot use the rate burst "${text}": give a whole number above 0`);
}
