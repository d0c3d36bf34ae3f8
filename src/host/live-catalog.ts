import { buildCatalog, type Catalog, type CatalogOptions } from '../catalog/catalog.ts';
import type { Change, Mount } from '../catalog/provider.ts';
import type { ListName } from '../model/peer.ts';

export interface LiveCatalog {
  current(): Catalog;
  close(): void;
}

export interface LiveCatalogOptions extends CatalogOptions {
  /** Called after the new catalog is in force. */
  onChange(change: Change): void;
}

/** Keeps a catalog up to date: changes that come together make one new catalog and one notice per list. */
export async function createLiveCatalog(mounts: readonly Mount[], options: LiveCatalogOptions): Promise<LiveCatalog> {
  let catalog = await buildCatalog(mounts, options);
  const changed = new Set<ListName>();
  let rebuilding = false;

  async function rebuild(): Promise<void> {
    while (changed.size > 0) {
      const lists = [...changed];
      changed.clear();
      try {
        catalog = await buildCatalog(mounts, { ...options, offered: catalog.offers });
        for (const kind of lists) options.onChange({ kind });
      } catch (error) {
        options.log('error', 'Cannot take over a change: the items stay as they were', { cause: error });
      }
    }
    rebuilding = false;
  }

  const stops = mounts.map(({ provider }) =>
    provider.watch?.((change) => {
      if (change.kind === 'updated') return options.onChange(change);
      changed.add(change.kind);
      if (rebuilding) return;
      rebuilding = true;
      queueMicrotask(() => void rebuild());
    }),
  );
  return {
    current: () => catalog,
    close() {
      for (const stop of stops) stop?.();
    },
  };
}
