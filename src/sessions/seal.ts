import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { Fault } from '../model/fault.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';

/** Hands data to a peer for safe keeping: it can neither read nor change it, nor use it for another request. */
export interface Sealer {
  seal(payload: JsonObject, bound: string): string;
  /** Throws `E_BAD_STATE` when the text was altered, has expired, or was sealed for something else. */
  open(sealed: string, bound: string): JsonObject;
}

export interface SealerOptions {
  /** The first seals; all open. Replicas that share secrets can answer for each other. */
  readonly secrets: readonly string[];
  readonly ttlMs: number;
  readonly now?: () => number;
}

const VERSION = 1;
const KEY_NAME_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_NAME_BYTES + NONCE_BYTES + TAG_BYTES;

/** Seals with AES-256-GCM; what it is bound to and when it expires are under the same protection. */
export function createSealer({ secrets, ttlMs, now = Date.now }: SealerOptions): Sealer {
  const keys = secrets.map(deriveKey);
  const [current] = keys;
  if (current === undefined) throw new TypeError('Cannot seal: at least one secret is needed');

  return {
    seal(payload, bound) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce).setAAD(Buffer.from(bound));
      const text = JSON.stringify({ expires: now() + ttlMs, payload });
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), current.name, nonce, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(sealed, bound) {
      const bytes = Buffer.from(sealed, 'base64url');
      // Decoding is lenient, so a text that decodes to the same bytes in another spelling is refused here.
      if (bytes.length <= HEADER_BYTES || bytes[0] !== VERSION || bytes.toString('base64url') !== sealed)
        throw badState('it was altered');
      const { expires, payload } = decrypt(bytes, bound, keys);
      if (typeof expires !== 'number' || expires <= now()) throw badState('it has expired: start the request again');
      if (!isObject(payload)) throw badState('it was altered');
      return payload;
    },
  };
}

interface Key {
  readonly name: Buffer;
  readonly key: Buffer;
}

function deriveKey(secret: string): Key {
  const hash = (purpose: string): Buffer => createHash('sha256').update(`parley ${purpose}\0${secret}`).digest();
  return { name: hash('key name').subarray(0, KEY_NAME_BYTES), key: hash('request state') };
}

function decrypt(bytes: Buffer, bound: string, keys: readonly Key[]): JsonObject {
  const name = bytes.subarray(1, 1 + KEY_NAME_BYTES);
  const nonce = bytes.subarray(1 + KEY_NAME_BYTES, HEADER_BYTES - TAG_BYTES);
  const key = keys.find((candidate) => candidate.name.equals(name));
  if (key === undefined) throw badState('it was sealed with a key this server does not have');
  try {
    const decipher = createDecipheriv('aes-256-gcm', key.key, nonce)
      .setAAD(Buffer.from(bound))
      .setAuthTag(bytes.subarray(HEADER_BYTES - TAG_BYTES, HEADER_BYTES));
    const text = Buffer.concat([decipher.update(bytes.subarray(HEADER_BYTES)), decipher.final()]).toString('utf8');
    return JSON.parse(text) as JsonObject;
  } catch {
    throw badState('it was altered or belongs to another request');
  }
}

function badState(reason: string): Fault {
  return new Fault('E_BAD_STATE', `Invalid params: "requestState" cannot be used: ${reason}`);
}

/** Names a request by everything it asks and whom it is for; the order of members does not matter. */
export function digest(...parts: readonly (Json | undefined)[]): string {
  return createHash('sha256').update(parts.map(canonical).join('\0')).digest('base64url');
}

function canonical(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? '';
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(',')}}`;
}
