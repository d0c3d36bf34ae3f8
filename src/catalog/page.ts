import { Fault } from '../model/fault.ts';
import { fingerprint } from './fingerprint.ts';

/** A list cut into pages, each made once: the same cursor gives the same frozen object every time. */
export interface Pages<P> {
  /** The page behind a cursor, or the first page without one. Throws `E_BAD_CURSOR` for a cursor this list never gave. */
  pageOf(cursor?: string): P;
}

export interface PageOptions<T, P extends object> {
  /** Names the list, so that a cursor of one list means nothing to another. */
  readonly kind: string;
  readonly size: number;
  /** What tells an item from the others: a cursor outlives a change of an item, not of the keys or their order. */
  keyOf(item: T): string;
  page(items: readonly T[], next: string | undefined): P;
}

/** Cuts a list into pages of at most `size` items; an empty list has one empty page. */
export function paginate<T, P extends object>(items: readonly T[], options: PageOptions<T, P>): Pages<Readonly<P>> {
  const { kind, size, keyOf, page } = options;
  if (!Number.isSafeInteger(size) || size < 1) throw new RangeError(`Page size must be a positive integer: ${size}`);
  const several = items.length > size;
  const mark = several ? fingerprint(JSON.stringify(items.map(keyOf))) : '';
  const pages = new Map<string | undefined, Readonly<P>>();
  for (let at = 0; at === 0 || at < items.length; at += size) {
    const end = at + size;
    const next = end < items.length ? cursorAt(kind, end, mark) : undefined;
    const cursor = at === 0 ? undefined : cursorAt(kind, at, mark);
    pages.set(cursor, Object.freeze(page(Object.freeze(items.slice(at, end)), next)));
  }
  return {
    pageOf(cursor) {
      const found = pages.get(cursor);
      if (found === undefined) throw new Fault('E_BAD_CURSOR', 'Unknown cursor: start the list again without one');
      return found;
    },
  };
}

function cursorAt(kind: string, offset: number, mark: string): string {
  const cursor = btoa(`${kind}:${offset}:${mark}`);
  return cursor.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
