import type { Settings } from '../host/settings.ts';
import { LIMITS, type LimitName } from '../model/limits.ts';
import { UsageError } from './command.ts';

/** Reads `--limit NAME=VALUE`, as often as it was said; `undefined` when it never was. */
export function readLimits(pairs: readonly string[]): Settings['limits'] {
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs.map(limitOf));
}

function limitOf(pair: string): [LimitName, number] {
  const [, name = '', digits = ''] = /^\s*(\w+)=(\d{1,15})\s*$/.exec(pair) ?? [];
  if (digits === '')
    throw new UsageError(`Cannot use the limit "${pair}": give a name and a whole number, such as sessions=50000`);
  if (isLimit(name)) return [name, Number(digits)];
  throw new UsageError(`Unknown limit: "${name}". ${suggestion(name)}docs/limits.md has them all`);
}

function isLimit(name: string): name is LimitName {
  return Object.hasOwn(LIMITS, name);
}

/** The names with the same letters in them, however they are written. */
function suggestion(name: string): string {
  const asked = name.toLowerCase().replaceAll('_', '');
  const near = Object.keys(LIMITS).filter((known) => {
    const text = known.toLowerCase();
    return asked.length > 2 && (text.startsWith(asked) || asked.startsWith(text));
  });
  return near.length === 0 ? '' : `Did you mean ${near.join(' or ')}? `;
}
