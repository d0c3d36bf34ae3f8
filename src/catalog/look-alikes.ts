import type { Log } from '../model/log.ts';

/** Who offers what, by the names clients see. */
export type Owners = ReadonlyMap<string, string>;

const MOST_WARNINGS = 20;

/** Warns of names of different sources that a reader would take for one another. */
export function warnOfLookAlikes(kind: string, owners: Owners, log: Log): void {
  const first = new Map<string, string>();
  let warned = 0;
  for (const [name, owner] of owners) {
    const look = lookOf(name);
    const other = first.get(look);
    if (other === undefined) first.set(look, name);
    else if (owners.get(other) !== owner && warned++ < MOST_WARNINGS) {
      log('warn', `The ${kind} "${name}" of "${owner}" looks like "${other}" of "${owners.get(other)}"`);
    }
  }
}

/** What a name looks like at a glance: without case, width and marks between words, and with `1` and `0` as letters. */
function lookOf(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[-_. ]/g, '')
    .replace(/[1i|]/g, 'l')
    .replaceAll('0', 'o');
}
