import { isLimit, limitsLike } from '../host/limit-names.ts';
import type { Settings } from '../host/settings.ts';
import { UsageError } from './command.ts';

/** Reads `--limit NAME=VALUE`, as often as it was said; `undefined` when it never was. */
export function readLimits(pairs: readonly string[]): Settings['limits'] {
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs.map(limitOf));
}

function limitOf(pair: string): [string, number] {
  const [, name = '', digits = ''] = /^\s*(\w+)=(\d{1,15})\s*$/.exec(pair) ?? [];
  if (digits === '') {
    throw new UsageError(`Cannot use the limit "${pair}": give a name and a whole number, such as sessions=50000`);
  }
  if (isLimit(name)) return [name, Number(digits)];
  const near = limitsLike(name);
  const question = near.length === 0 ? '' : `Did you mean ${near.join(' or ')}? `;
  throw new UsageError(`Unknown limit: "${name}". ${question}docs/limits.md has them all`);
}
