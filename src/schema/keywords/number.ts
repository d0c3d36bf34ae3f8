import type { Keyword, Site } from '../rule.ts';

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function numberOf(site: Site, keyword: string): number | undefined {
  const value = site.schema[keyword];
  if (value === undefined || typeof value === 'number') return value;
  return site.refuse(`"${keyword}" must be a number`, keyword);
}

type Comparison = (value: number, limit: number) => boolean;

function bound(keyword: string, words: string, holds: Comparison): Keyword {
  return (site) => {
    const limit = numberOf(site, keyword);
    if (limit === undefined) return undefined;
    const message = `must be ${words} ${limit}`;
    return (value, run) => typeof value !== 'number' || holds(value, limit) || run.fail(message);
  };
}

/** `minimum`, `maximum` and their exclusive forms. */
export const bounds: readonly Keyword[] = [
  bound('minimum', 'at least', (value, limit) => value >= limit),
  bound('maximum', 'at most', (value, limit) => value <= limit),
  bound('exclusiveMinimum', 'greater than', (value, limit) => value > limit),
  bound('exclusiveMaximum', 'less than', (value, limit) => value < limit),
];

/** `multipleOf`, exact for decimals: 0.3 is a multiple of 0.1. */
export const multipleOf: Keyword = (site) => {
  const divisor = numberOf(site, 'multipleOf');
  if (divisor === undefined) return undefined;
  if (divisor <= 0) return site.refuse('"multipleOf" must be greater than 0', 'multipleOf');
  const message = `must be a multiple of ${divisor}`;
  const exact = decimalOf(divisor);
  const whole = Number.isSafeInteger(divisor);
  return (value, run) => {
    if (typeof value !== 'number') return true;
    if (!Number.isFinite(value)) return run.fail(message);
    if (whole && Number.isSafeInteger(value)) return value % divisor === 0 || run.fail(message);
    return divides(exact, decimalOf(value)) || run.fail(message);
  };
};

function divides(divisor: Decimal, value: Decimal): boolean {
  const exponent = Math.min(divisor.exponent, value.exponent);
  return scaled(value, exponent) % scaled(divisor, exponent) === 0n;
}

function scaled(decimal: Decimal, exponent: number): bigint {
  return decimal.digits * 10n ** BigInt(decimal.exponent - exponent);
}

// The shortest decimal that reads back as the number is what the author of the JSON wrote.
function decimalOf(value: number): Decimal {
  const [mantissa = '0', power = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}
