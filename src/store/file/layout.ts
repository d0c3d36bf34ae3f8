import type { Gone } from '../memory/ground.ts';
import type { HeldLog } from '../memory/logs.ts';
import type { MemoryStore } from '../memory.ts';
import type { Journal, Level } from './journal.ts';

// One letter says what a key of the database holds:
//   r<key>               a record: its version, a line break, its JSON
//   x<key>               when the record expires
//   l<log>               a log: oldest position held, next position, 1 if ended, when it expires
//   e<16 digits><log>    the text at that position of the log
//   v                    the highest version that may have been given
//   f                    the form of all this
// A time is in milliseconds since 1970.

const FORM = '1';
const DIGITS = 16;
// So many versions are given before the database is told of it again.
const VERSIONS = 1_000_000;

const entryKey = (log: string, position: number): string => `e${String(position).padStart(DIGITS, '0')}${log}`;

/** Says in the journal what is to be found after a restart. */
export class Layout {
  readonly #journal: Journal;
  #reserved: number;

  /** `version`: the highest that may have been given. */
  constructor(journal: Journal, version: number) {
    this.#journal = journal;
    this.#reserved = version;
    this.reserve(version);
    journal.put('f', FORM);
  }

  /** Sees to it that no version up to this one is given after a restart. */
  reserve(version: number): void {
    if (version < this.#reserved) return;
    this.#reserved = version + VERSIONS;
    this.#journal.put('v', String(this.#reserved));
  }

  putRecord(key: string, { version, text, expires }: { version: number; text: string; expires: number }): void {
    this.reserve(version);
    this.#journal.put(`r${key}`, `${version}\n${text}`);
    this.prolongRecord(key, expires);
  }

  prolongRecord(key: string, expires: number): void {
    this.#journal.put(`x${key}`, String(expires));
  }

  /** Notes the log and the text at a position, if the log holds one there; texts from `first` up fell out. */
  append(log: string, held: HeldLog, { position, first }: { position: number; first: number }): void {
    for (let fallen = first; fallen < Math.min(held.first, position); fallen += 1)
      this.#journal.remove(entryKey(log, fallen));
    const entry = held.texts.get(position);
    if (entry !== undefined) this.#journal.put(entryKey(log, position), entry.text);
    this.putLog(log, held);
  }

  putLog(log: string, { first, next, ended, expires }: HeldLog): void {
    this.#journal.put(`l${log}`, `${first} ${next} ${ended ? 1 : 0} ${expires}`);
  }

  remove(gone: Gone): void {
    if (gone.kind === 'record') {
      for (const kind of ['r', 'x']) this.#journal.remove(kind + gone.key);
      return;
    }
    this.#journal.remove(`l${gone.key}`);
    for (let position = gone.first; position < gone.next; position += 1)
      this.#journal.remove(entryKey(gone.key, position));
  }
}

type Letter = 'r' | 'x' | 'l' | 'e' | 'v' | 'f';

/** What an earlier process left: values by the rest of their key, by its letter. */
export type Left = Readonly<Record<Letter, Map<string, string>>>;

/** Reads everything; throws where another release wrote it in another form. */
export async function readLeft(level: Level): Promise<Left> {
  const left: Left = { r: new Map(), x: new Map(), l: new Map(), e: new Map(), v: new Map(), f: new Map() };
  for await (const [key, value] of level.iterator()) left[key.charAt(0) as Letter]?.set(key.slice(1), value);
  if ((left.f.get('') ?? FORM) !== FORM)
    throw new TypeError('Cannot open store: another release of the server wrote its files');
  return left;
}

/** The highest version that may have been given. */
export const versionOf = (left: Left): number => Number(left.v.get('') ?? 0);

/** Puts what was left into memory; what has expired meanwhile goes with the next sweep. */
export function restore(left: Left, { records, logs }: MemoryStore): void {
  for (const [key, value] of left.r) {
    const end = value.indexOf('\n');
    const expires = Number(left.x.get(key) ?? 0);
    records.restore(key, { version: Number(value.slice(0, end)), text: value.slice(end + 1), expires });
  }
  for (const [log, value] of left.l) {
    const [first, next, ended, expires] = value.split(' ').map(Number) as [number, number, number, number];
    const texts: string[] = [];
    for (let position = first; position < next; position += 1)
      texts.push(left.e.get(entryKey(log, position).slice(1)) ?? '');
    logs.restore(log, { first, next, ended: ended === 1, expires }, texts);
  }
}
