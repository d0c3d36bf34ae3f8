import type { Catalog } from '../catalog/catalog.ts';
import type { Sight } from '../core/sight.ts';
import type { Principal } from '../model/peer.ts';
import type { Offered } from '../transports/http/discovery.ts';

/** The names of what a catalog offers, gathered once for each catalog. */
export function offeredBy(sight: Sight): (principal?: Principal) => Offered {
  const known = new WeakMap<Catalog, Offered>();
  return (principal) => {
    const catalog = sight(principal);
    const offered = known.get(catalog) ?? gather(catalog);
    known.set(catalog, offered);
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
