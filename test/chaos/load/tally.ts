/** What came of everything one client, or many, sent. */
export interface Tally {
  sent: number;
  answered: number;
  /** Had a fault injected after which no answer need come. */
  excused: number;
  lost: number;
  doubled: number;
  malformed: number;
  wrong: number;
  crossed: number;
  disordered: number;
}

export type Blemish = Exclude<keyof Tally, 'sent' | 'answered' | 'excused'>;
export const BLEMISHES: readonly Blemish[] = ['lost', 'doubled', 'malformed', 'wrong', 'crossed', 'disordered'];

/** Of nobody yet. */
export function emptyTally(): Tally {
  return {
    sent: 0,
    answered: 0,
    excused: 0,
    lost: 0,
    doubled: 0,
    malformed: 0,
    wrong: 0,
    crossed: 0,
    disordered: 0,
  };
}

/** What many clients heard, together. */
export function addTallies(tallies: Iterable<Tally>): Tally {
  const sum = emptyTally();
  for (const tally of tallies) for (const key of Object.keys(sum) as (keyof Tally)[]) sum[key] += tally[key];
  return sum;
}

/** Whether nothing happened that must not. */
export function isClean(tally: Tally): boolean {
  return BLEMISHES.every((blemish) => tally[blemish] === 0);
}
