import { constants, type KeyObject, verify } from 'node:crypto';
import type { JsonObject } from '../model/json.ts';
import { objectIn } from './ask-issuer.ts';
import { invalid, unavailable, type Verdict, type Verifier } from './auth.ts';
import { type Expected, judge } from './claims.ts';
import type { IssuerKey, KeySet } from './key-set.ts';

interface Algorithm {
  readonly hash: string | null;
  /** `asymmetricKeyType` of the keys it takes. */
  readonly type: string;
  readonly curve?: string;
  readonly pss?: boolean;
}

const RSA = ['256', '384', '512'].flatMap((bits): [string, Algorithm][] => [
  [`RS${bits}`, { hash: `sha${bits}`, type: 'rsa' }],
  [`PS${bits}`, { hash: `sha${bits}`, type: 'rsa', pss: true }],
]);

/** Every signature that can be checked; there is no symmetric one among them, and no absent one. */
const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map<string, Algorithm>([
  ...RSA,
  ['ES256', { hash: 'sha256', type: 'ec', curve: 'prime256v1' }],
  ['ES384', { hash: 'sha384', type: 'ec', curve: 'secp384r1' }],
  ['ES512', { hash: 'sha512', type: 'ec', curve: 'secp521r1' }],
  ['EdDSA', { hash: null, type: 'ed25519' }],
  ['Ed25519', { hash: null, type: 'ed25519' }],
]);

export const ALGORITHM_NAMES: readonly string[] = [...ALGORITHMS.keys()];

export interface JwtOptions extends Expected {
  readonly keySet: KeySet;
  /** Signatures taken. */
  readonly algorithms: readonly string[];
  /** Kinds of tokens taken, as the header names them: access tokens, and not what else the issuer signs. */
  readonly types: readonly string[];
}

const JWT = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

/** Checks signed tokens with the keys of their issuer. */
// spec RFC 7519, RFC 8725, RFC 9068
export function createJwtVerifier(options: JwtOptions): Verifier {
  const { algorithms, types, keySet } = options;
  for (const name of algorithms) {
    if (!ALGORITHMS.has(name))
      throw new TypeError(`Unknown algorithm: "${name}". There are: ${ALGORITHM_NAMES.join(', ')}`);
  }
  const typed = new Set(types.map(typeName));
  return {
    verify(token) {
      const signed = readSigned(token);
      if (signed === undefined) return undefined;
      const { alg, typ, crit } = signed.header;
      if (typeof alg !== 'string' || !algorithms.includes(alg)) return invalid('its signature is of a kind not taken');
      if (typeof typ !== 'string' || !typed.has(typeName(typ))) return invalid(`its type is not ${types.join(' or ')}`);
      if (crit !== undefined) return invalid('it demands an extension that is not known');
      return check(signed, alg);
    },
  };

  async function check(signed: Signed, alg: string): Promise<Verdict> {
    const { kid } = signed.header;
    try {
      const keys = await keySet.keys(typeof kid === 'string' ? kid : undefined);
      const trouble = wrongness(signed, alg, keys);
      if (trouble !== undefined) return invalid(trouble);
    } catch (error) {
      return unavailable(error instanceof Error ? error.message : String(error));
    }
    const claims = objectIn(Buffer.from(signed.payload, 'base64url'));
    return claims === undefined ? invalid('its claims are not a JSON object') : judge(claims, options);
  }
}

/** Why a signature is not one of these keys, if it is not. */
function wrongness(signed: Signed, alg: string, keys: readonly IssuerKey[]): string | undefined {
  const fitting = keys.filter((key) => fits(key, alg));
  const [only] = fitting;
  if (only === undefined) return 'no key of the issuer fits it';
  if (fitting.length > 1) return 'it does not say which key of the issuer signed it';
  return isSigned(signed, alg, only.key) ? undefined : 'its signature is wrong';
}

interface Signed {
  readonly header: JsonObject;
  readonly payload: string;
  /** What the signature is over. */
  readonly text: string;
  readonly signature: Buffer;
}

/** Takes a token apart; `undefined` when it is not a signed token at all. */
function readSigned(token: string): Signed | undefined {
  const [, head = '', payload = '', signature = ''] = JWT.exec(token) ?? [];
  const header = head === '' ? undefined : objectIn(Buffer.from(head, 'base64url'));
  if (header === undefined) return undefined;
  return { header, payload, text: `${head}.${payload}`, signature: bytesOf(signature) };
}

/** What a part stands for; nothing when it is spelled in another way than the one, so that a token has one text only. */
// spec RFC 4648 section 3.5
function bytesOf(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.toString('base64url') === part ? bytes : Buffer.alloc(0);
}

/** Whether a key is one the algorithm takes: the token chooses neither the kind of key nor its use. */
function fits({ key, alg: only }: IssuerKey, alg: string): boolean {
  const algorithm = ALGORITHMS.get(alg);
  if (algorithm === undefined || (only !== undefined && only !== alg)) return false;
  if (key.asymmetricKeyType !== algorithm.type) return false;
  return algorithm.curve === undefined || key.asymmetricKeyDetails?.namedCurve === algorithm.curve;
}

function isSigned({ text, signature }: Signed, alg: string, key: KeyObject): boolean {
  const { hash = null, pss = false } = ALGORITHMS.get(alg) ?? {};
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  try {
    return verify(hash, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363', ...(pss ? padding : {}) }, signature);
  } catch {
    return false;
  }
}

/** Types are media types that may leave out `application/`. */
function typeName(text: string): string {
  return text.toLowerCase().replace(/^application\//, '');
}
