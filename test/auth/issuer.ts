import { createHmac, generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/model/json.ts';

/** A pair of keys, and what an issuer publishes of it. */
export interface Keys {
  readonly id: string;
  readonly alg: string;
  readonly secret: KeyObject;
  readonly jwk: JsonWebKey;
}

/** Makes a pair of keys for an algorithm. */
export function makeKeys(id: string, alg = 'ES256', bits = 2048): Keys {
  const { publicKey, privateKey } = pairFor(alg, bits);
  return { id, alg, secret: privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid: id, use: 'sig' } };
}

const CURVES: Readonly<Record<string, string>> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' };

function pairFor(alg: string, bits: number): { publicKey: KeyObject; privateKey: KeyObject } {
  if (alg === 'EdDSA') return generateKeyPairSync('ed25519');
  const namedCurve = CURVES[alg];
  if (namedCurve !== undefined) return generateKeyPairSync('ec', { namedCurve });
  return generateKeyPairSync('rsa', { modulusLength: bits });
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs claims as an issuer would, whatever the header says. */
export function makeToken(keys: Keys, claims: JsonObject, header: JsonObject = {}): string {
  const text = `${part({ alg: keys.alg, typ: 'at+jwt', kid: keys.id, ...header })}.${part(claims)}`;
  return `${text}.${signatureOf(keys, text).toString('base64url')}`;
}

function signatureOf({ alg, secret }: Keys, text: string): Buffer {
  const hash = alg === 'EdDSA' ? null : `sha${alg.slice(2)}`;
  const pss = alg.startsWith('PS') ? { padding: 6, saltLength: Number(alg.slice(2)) / 8 } : {};
  return sign(hash, Buffer.from(text), { key: secret, dsaEncoding: 'ieee-p1363', ...pss });
}

/** A token whose signature is made with what everybody may know: the public key as a shared secret. */
export function makeForged(keys: Keys, claims: JsonObject, secret: string): string {
  const text = `${part({ alg: 'HS256', typ: 'at+jwt', kid: keys.id })}.${part(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

/** A token without a signature. */
export function makeUnsigned(claims: JsonObject, alg: string, end = ''): string {
  return `${part({ alg, typ: 'at+jwt' })}.${part(claims)}.${end}`;
}

export interface Issuer {
  readonly url: string;
  /** What it publishes; may be changed. */
  keys: readonly Keys[];
  /** How requests are answered, in place of the usual, by path. */
  readonly instead: Map<string, (request: IncomingMessage, response: ServerResponse, body: string) => void>;
  /** Every request so far: its method and path. */
  readonly requests: string[];
  /** What a token for this server says. */
  claims(changes?: JsonObject): JsonObject;
  close(): Promise<void>;
}

export const AUDIENCE = 'https://mcp.example/mcp';

/** An authorization server that publishes its keys and does nothing else. */
export async function openIssuer(keys: readonly Keys[] = []): Promise<Issuer> {
  const instead: Issuer['instead'] = new Map();
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    requests.push(`${request.method} ${path}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const own = instead.get(path);
    if (own !== undefined) return own(request, response, Buffer.concat(chunks).toString());
    const documents: Record<string, unknown> = {
      '/.well-known/oauth-authorization-server': { issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` },
      '/jwks': { keys: issuer.keys.map(({ jwk }) => jwk) },
    };
    response.writeHead(path in documents ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(documents[path] ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer: Issuer = {
    url,
    keys,
    instead,
    requests,
    claims: (changes = {}) => {
      const now = Math.floor(Date.now() / 1000);
      return { iss: url, aud: AUDIENCE, sub: 'ada', scope: 'read write', iat: now, exp: now + 300, ...changes };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return issuer;
}
