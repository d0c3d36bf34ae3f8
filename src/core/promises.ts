import type { Catalog } from '../catalog/catalog.ts';
import type { Change } from '../catalog/provider.ts';
import type { ServerCapabilities } from '../model/capabilities.ts';
import type { ListName } from '../model/peer.ts';

export type Family = keyof Catalog['offers'];

/** What clients were promised: nothing more is answered or told, and nothing less. */
export interface Promises {
  /** Whether a family of items is served, even if there is none of it. */
  offers(family: Family): boolean;
  /** Whether clients are told that a list changed. */
  changes(list: ListName): boolean;
  /** Whether single resources can be watched. */
  readonly watches: boolean;
  /** Whether clients hear what tools log. */
  readonly logs: boolean;
}

/** The promises of a server that declares exactly these capabilities, or else those its items imply. */
export function promisesOf(declared: ServerCapabilities | undefined, catalog: () => Catalog): Promises {
  if (declared === undefined) {
    const offers = (family: Family) => catalog().offers[family];
    return { offers, changes: offers, watches: true, logs: true };
  }
  return {
    offers: (family) => declared[family] !== undefined,
    changes: (list) => declared[list]?.listChanged === true,
    watches: declared.resources?.subscribe === true,
    logs: declared.logging !== undefined,
  };
}

/** Whether clients may be told of a change. */
export function mayTell({ changes, watches }: Promises, change: Change): boolean {
  return change.kind === 'updated' ? watches : changes(change.kind);
}
