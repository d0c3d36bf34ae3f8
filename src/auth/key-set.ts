import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { Log } from '../model/log.ts';
import { askIssuer, type IssuerLimits, issuerUrl } from './ask-issuer.ts';

/** A key that checks signatures, and what it may be used for. */
export interface IssuerKey {
  readonly id: string | undefined;
  readonly alg: string | undefined;
  readonly key: KeyObject;
}

/** The keys of an issuer at the moment. */
export interface KeySet {
  /** The keys of that id, or all without one. An id nobody knows has the keys fetched anew, if that is due. */
  keys(id: string | undefined): Promise<readonly IssuerKey[]>;
}

export interface KeySetOptions {
  /** Finds where the keys are; asked once, and again after a failure. */
  locate(): Promise<URL>;
  readonly limits: IssuerLimits;
  readonly log: Log;
  readonly now?: () => number;
}

/** Keys are used this long before they are asked for again. */
const FRESH_MS = 600_000;
/** Keys outlive an issuer that does not answer this long, and no longer. */
const STALE_MS = 3_600_000;
/** The issuer is asked no more often than this, whatever tokens come. */
const PAUSE_MS = 10_000;
const MOST_KEYS = 100;
const LEAST_RSA_BITS = 2048;

/** Fetches the keys of an issuer when they are needed, all who need them waiting for one answer. */
export function createKeySet({ locate, limits, log, now = () => performance.now() }: KeySetOptions): KeySet {
  let keys: readonly IssuerKey[] | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let failure: Error | undefined;
  let fetching: Promise<void> | undefined;
  let place: URL | undefined;

  async function fetchKeys(): Promise<void> {
    triedAt = now();
    try {
      place ??= await locate();
      keys = read(await askIssuer({ url: place, limits }));
      fetchedAt = now();
      failure = undefined;
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      log('warn', 'Cannot fetch the keys of the authorization server', { reason: failure.message });
    }
  }

  /** Fetches the keys unless that was tried a moment ago. */
  function refresh(): Promise<void> {
    if (fetching === undefined && now() - triedAt < PAUSE_MS) return Promise.resolve();
    fetching ??= fetchKeys().finally(() => {
      fetching = undefined;
    });
    return fetching;
  }

  function usable(): readonly IssuerKey[] {
    if (keys === undefined || now() - fetchedAt >= STALE_MS) throw failure ?? new Error('The keys are too old');
    return keys;
  }

  return {
    async keys(id) {
      if (keys === undefined || now() - fetchedAt >= FRESH_MS) await refresh();
      const found = wanted(usable(), id);
      if (found.length > 0 || id === undefined) return found;
      await refresh();
      return wanted(usable(), id);
    },
  };
}

function wanted(keys: readonly IssuerKey[], id: string | undefined): readonly IssuerKey[] {
  return id === undefined ? keys : keys.filter((key) => key.id === id);
}

function read({ keys }: JsonObject): readonly IssuerKey[] {
  if (!Array.isArray(keys)) throw new Error('The key set has no keys');
  return keys.slice(0, MOST_KEYS).flatMap((key) => keyOf(key) ?? []);
}

/** A public key for signatures; `undefined` for every other, since a set may hold keys for other uses. */
function keyOf(jwk: Json): IssuerKey | undefined {
  if (!isObject(jwk) || !['RSA', 'EC', 'OKP'].includes(String(jwk['kty']))) return undefined;
  const { use, key_ops: uses, kid, alg } = jwk;
  if (use !== undefined && use !== 'sig') return undefined;
  if (Array.isArray(uses) && !uses.includes('verify')) return undefined;
  try {
    const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    const bits = key.asymmetricKeyDetails?.modulusLength;
    if (bits !== undefined && bits < LEAST_RSA_BITS) return undefined;
    return { id: textOf(kid), alg: textOf(alg), key };
  } catch {
    return undefined;
  }
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** An issuer elsewhere names no address of this machine: what it says is fetched from in here. */
export function keysUrl(text: string, issuer: URL): URL {
  const url = issuerUrl(text, 'the key set');
  if (url.protocol === issuer.protocol || url.protocol === 'https:') return url;
  throw new TypeError(`Cannot use the key set "${text}": its issuer is at an https address, and it is not`);
}

/** Finds the address of an issuer's keys in the metadata the issuer publishes about itself. */
// spec RFC 8414 section 3, and OpenID Connect Discovery 1.0 section 4
export function locateKeys(issuer: string, limits: IssuerLimits): () => Promise<URL> {
  const base = issuerUrl(issuer, 'the issuer');
  const path = base.pathname.replace(/\/+$/, '');
  const places = [
    new URL(`/.well-known/oauth-authorization-server${path}`, base),
    new URL(`${path}/.well-known/openid-configuration`, base),
  ];
  return async () => {
    let last: unknown;
    for (const url of places) {
      try {
        const metadata = await askIssuer({ url, limits });
        if (metadata['issuer'] !== issuer) throw new Error(`The metadata at ${url.href} is of another issuer`);
        return keysUrl(String(metadata['jwks_uri']), base);
      } catch (error) {
        last = error;
      }
    }
    throw last;
  };
}
