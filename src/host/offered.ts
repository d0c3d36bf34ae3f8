import type { Catalog } from '../catalog/catalog.ts';
import type { Offered } from '../transports/http/discovery.ts';

/** The names of what a catalog offers, gathered once for each catalog. */
export function offeredBy(current: () => Catalog): () => Offered {
  let of: Catalog | undefined;
  let offered: Offered | undefined;
  return () => {
    const catalog = current();
    if (offered === undefined || of !== catalog) {
      of = catalog;
      offered = gather(catalog);
    }
    return offered;
  };
}

function gather(catalog: Catalog): Offered {
  return {
    tools: pages((cursor) => catalog.tools(cursor)).flatMap(({ tools }) => tools.map(({ name }) => name)),
    resources: pages((cursor) => catalog.resources(cursor)).flatMap(({ resources }) => resources.map(({ uri }) => uri)),
    prompts: pages((cursor) => catalog.prompts(cursor)).flatMap(({ prompts }) => prompts.map(({ name }) => name)),
  };
}

function pages<P extends { readonly next?: string }>(page: (cursor?: string) => P): P[] {
  const all = [page()];
  for (let next = all[0]?.next; next !== undefined; next = all.at(-1)?.next) all.push(page(next));
  return all;
}
