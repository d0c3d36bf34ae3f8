import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { issuerUrl } from '../auth/ask-issuer.ts';
import { createAuthenticator, type Verifier } from '../auth/auth.ts';
import type { Expected } from '../auth/claims.ts';
import { createIntrospection } from '../auth/introspection.ts';
import { ALGORITHM_NAMES, createJwtVerifier } from '../auth/jwt.ts';
import { createKeySet, locateKeys } from '../auth/key-set.ts';
import { remembering } from '../auth/remember.ts';
import { isScope, type StaticToken } from '../auth/static-tokens.ts';
import { type AccessRule, checkRules } from '../catalog/needs.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { Limits } from '../model/limits.ts';
import type { Log } from '../model/log.ts';
import type { AccessOptions } from '../transports/http/access.ts';
import { urlBeside } from '../transports/http/access-metadata.ts';
import { publicEndpoint } from '../transports/http/own-url.ts';
import { watchTokens } from './access-tokens.ts';
import { expand } from './expand.ts';

/** How long a connection is known by its token alone: as long as a burst of requests takes. */
const KNOWN_MS = 1000;

/** How who asks is checked. */
export interface AccessSettings {
  /** A JSON file of tokens: `{ "tokens": [{ "id", "sha256" or "token", "scopes", "expires" }] }`. */
  readonly tokensFile?: string | undefined;
  /** The authorization server whose tokens are taken. */
  readonly issuer?: string | undefined;
  /** The names this server has for it; the address of the endpoint where none is given. */
  readonly audiences?: readonly string[] | undefined;
  /** What every request needs. */
  readonly scopes?: readonly string[] | undefined;
  /** Where tokens that are not signed are asked about, and who asks. */
  readonly introspection?: { readonly url: string; readonly client: { readonly id: string; readonly secret: string } };
  /** Kinds of signed tokens taken, as their headers name them. */
  readonly types?: readonly string[] | undefined;
  /** Scopes that hold others within them. */
  readonly implies?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface AccessParts {
  readonly limits: Limits;
  readonly log: Log;
  readonly endpoint: string;
  /** Paths beside the endpoint that clients may know the server by. */
  readonly others?: readonly string[];
  readonly publicUrl: string | undefined;
}

/** Makes access control from settings. Throws when they cannot be used. */
export function openAccess(settings: AccessSettings, parts: AccessParts): Omit<AccessOptions, 'log'> {
  const { issuer, scopes = [], implies } = settings;
  const { limits, endpoint, others, publicUrl } = parts;
  const verifiers = verifiersOf(settings, parts);
  if (verifiers.length === 0) throw new TypeError('Cannot check who asks: neither tokens nor an issuer are given');
  return {
    authenticator: createAuthenticator({
      verifiers,
      tokenBytes: limits.tokenBytes,
      implies,
      keptMs: Math.min(KNOWN_MS, limits.tokenKeptMs),
    }),
    scopes,
    issuers: issuer === undefined ? [] : [issuer],
    endpoint,
    others,
    limits,
    publicUrl,
  };
}

function verifiersOf({ tokensFile, env, ...settings }: AccessSettings, parts: AccessParts): readonly Verifier[] {
  const given = tokensFile === undefined ? [] : [tokensOf(tokensFile, env, parts)];
  if (settings.issuer === undefined) {
    if (settings.introspection !== undefined) throw new TypeError('Cannot ask about tokens: name their issuer too');
    return given;
  }
  const expected = { issuer: settings.issuer, audiences: audiencesOf(settings.audiences, parts), now: Date.now };
  return [...given, ...issued(settings, expected, parts)];
}

function tokensOf(file: string, env: AccessSettings['env'], { limits, log }: AccessParts): Verifier {
  return watchTokens({ file, read: () => readTokens(file, env), everyMs: limits.tokensFileMs, log });
}

function issued(settings: Omit<AccessSettings, 'env'>, expected: Expected, { limits, log }: AccessParts): Verifier[] {
  const { types = ['at+jwt'], introspection } = settings;
  const keySet = createKeySet({ locate: locateKeys(expected.issuer, limits), limits, log });
  const signed = createJwtVerifier({ ...expected, keySet, algorithms: ALGORITHM_NAMES, types });
  if (introspection === undefined) return [remembering(signed, limits)];
  const url = issuerUrl(introspection.url, 'the introspection endpoint');
  const asked = createIntrospection({ ...expected, url, client: introspection.client, limits });
  return [remembering(signed, limits), remembering(asked, limits)];
}

function audiencesOf(given: readonly string[] = [], parts: AccessParts): readonly string[] {
  const { endpoint, others = [], publicUrl } = parts;
  if (given.length > 0) return given;
  if (publicUrl !== undefined) {
    return [publicEndpoint(publicUrl, endpoint), ...others.map((path) => urlBeside(publicUrl, endpoint, path))];
  }
  throw new TypeError(
    'Cannot tell which tokens are for this server: give --auth-audience, or --public-url whose endpoint is then the audience',
  );
}

function readTokens(file: string, env: AccessSettings['env']): readonly StaticToken[] {
  const { tokens } = readJsonFile(file, env);
  if (!Array.isArray(tokens) || tokens.length === 0 || !tokens.every(isObject)) {
    throw new TypeError(`Cannot use "${file}": it must hold { "tokens": [ … ] } with a token at least`);
  }
  for (const token of tokens) refuseUnknown(token, ['id', 'token', 'sha256', 'scopes', 'expires'], file);
  return tokens as unknown as readonly StaticToken[];
}

/** What a file says about which scopes items need, and which scopes hold others. */
export interface AccessFile {
  readonly rules: readonly AccessRule[];
  readonly implies: Readonly<Record<string, readonly string[]>>;
}

/** Reads access rules: `{ "rules": [{ "tools": ["admin_*"], "scopes": ["admin"] }], "implies": { "admin": ["read"] } }`. */
export function readAccessFile(file: string, env: AccessSettings['env']): AccessFile {
  const value = readJsonFile(file, env);
  refuseUnknown(value, ['rules', 'implies'], file);
  const { rules = [], implies = {} } = value;
  if (!Array.isArray(rules) || !rules.every(isObject))
    throw new TypeError(`Cannot use "${file}": "rules" must be a list`);
  if (!isObject(implies) || !Object.values(implies).every((scopes) => Array.isArray(scopes) && scopes.every(isScope))) {
    throw new TypeError(`Cannot use "${file}": "implies" must give each scope a list of scopes`);
  }
  checkRules(rules as unknown as AccessRule[]);
  return { rules, implies } as unknown as AccessFile;
}

/** Reads a JSON file whose strings may refer to the environment and to other files. */
export function readJsonFile(file: string, env: AccessSettings['env']): JsonObject {
  let value: Json;
  try {
    value = JSON.parse(readFileSync(file, 'utf8')) as Json;
  } catch (error) {
    // What a parser says repeats the text, and the text may be a secret.
    const why =
      error instanceof SyntaxError ? 'it is not JSON' : `it cannot be read (${(error as { code?: string }).code})`;
    throw new TypeError(`Cannot use "${file}": ${why}`);
  }
  if (!isObject(value)) throw new TypeError(`Cannot use "${file}": it must hold a JSON object`);
  return expand(value, { env, folder: dirname(resolve(file)) }) as JsonObject;
}

/** Throws for a member nobody knows: a word spelled wrong must not leave a door open. */
export function refuseUnknown(value: JsonObject, known: readonly string[], file: string): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new TypeError(`Cannot use "${file}": nobody knows "${unknown}". There are: ${known.join(', ')}`);
}
