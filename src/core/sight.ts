import type { Catalog } from '../catalog/catalog.ts';
import { excerpt } from '../model/excerpt.ts';
import { Fault } from '../model/fault.ts';
import type { Principal } from '../model/peer.ts';

/** What of everything on offer somebody may see and use: one answer for lists and calls alike. */
export type Sight = (principal: Principal | undefined) => Catalog;

export interface SightOptions {
  /** Who has no principal is the one who started the server, and sees everything. */
  readonly trusting: boolean;
  /** Most different sets of scopes whose catalogs are kept. */
  readonly scopeSetsKept: number;
}

/** Shows everybody what their scopes let them see. Costs nothing as long as no item needs a scope. */
export function createSight(catalog: () => Catalog, { trusting, scopeSetsKept }: SightOptions): Sight {
  let views = new Views(catalog(), scopeSetsKept);
  return (principal) => {
    const current = catalog();
    if (current.scopes.length === 0 || (trusting && principal === undefined)) return current;
    if (views.of !== current) views = new Views(current, scopeSetsKept);
    return views.get(principal);
  };
}

/** Throws for an item that is shown to somebody who lacks a scope its use takes. */
export function refuseLacking({ lacks }: { readonly lacks?: readonly string[] }, name: string): void {
  if (lacks === undefined) return;
  const words = lacks.map((scope) => `"${scope}"`).join(', ');
  throw new Fault('E_SCOPE', `Cannot use "${excerpt(name)}": get a token with the scopes ${words}`, {
    data: { name: excerpt(name), scopes: [...lacks] },
  });
}

const NOBODY: Principal = Object.freeze({ id: '', scopes: Object.freeze([]) });

/** The views of one catalog: the same object for the same scopes, so that its lists are written once. */
class Views {
  readonly of: Catalog;
  readonly #most: number;
  readonly #byScopes = new Map<string, Catalog>();
  /** A principal is the same object as long as its token is remembered. */
  readonly #byPrincipal = new WeakMap<Principal, Catalog>();

  constructor(of: Catalog, most: number) {
    this.of = of;
    this.#most = most;
  }

  get(principal: Principal = NOBODY): Catalog {
    const known = this.#byPrincipal.get(principal);
    if (known !== undefined) return known;
    const held = this.of.scopes.filter((scope) => principal.scopes.includes(scope));
    const view = this.#view(held);
    this.#byPrincipal.set(principal, view);
    return view;
  }

  #view(held: readonly string[]): Catalog {
    const key = held.join(' ');
    const view = this.#byScopes.get(key) ?? this.of.within(new Set(held));
    this.#byScopes.delete(key);
    this.#byScopes.set(key, view);
    const oldest = this.#byScopes.size > this.#most ? this.#byScopes.keys().next().value : undefined;
    if (oldest !== undefined) this.#byScopes.delete(oldest);
    return view;
  }
}
