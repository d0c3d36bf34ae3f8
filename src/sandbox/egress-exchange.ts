import { type IncomingMessage, request, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { EgressLimits, EgressResponse } from './egress-limits.ts';
import { EgressError, type EgressMethod } from './egress-rules.ts';

export interface Exchanged {
  readonly url: URL;
  readonly method: EgressMethod;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer | undefined;
  readonly limits: EgressLimits;
  readonly signal: AbortSignal;
  connection(): Socket;
}

const USER_AGENT = 'parley';

/** Sends one request on a connection of its own and takes its one response. Redirects are not followed. */
export async function exchange(parts: Exchanged): Promise<Omit<EgressResponse, 'url'>> {
  const { limits, signal } = parts;
  try {
    const response = await send(parts);
    const { body, truncated } = await readBody(response, limits.responseBytes);
    const status = response.statusCode ?? 0;
    return {
      status,
      reason: response.statusMessage || STATUS_CODES[status] || '',
      headers: pairs(response.rawHeaders),
      body,
      truncated,
    };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EgressError) throw error;
    throw new EgressError(`The request failed: ${reasonOf(error)}`, { cause: error });
  }
}

function send({ url, method, headers, body, limits, signal, connection }: Exchanged): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // A connection of its own makes no use of agents, so neither of their pools nor of their proxies.
    const sent = request({
      protocol: 'http:',
      host: url.hostname,
      path: `${url.pathname}${url.search}`,
      method,
      headers: {
        'user-agent': USER_AGENT,
        ...Object.fromEntries(headers),
        host: url.host,
        // What is not compressed cannot grow.
        'accept-encoding': 'identity',
        connection: 'close',
        ...(body === undefined ? {} : { 'content-length': body.length }),
      },
      maxHeaderSize: limits.headerBytes,
      setHost: false,
      createConnection: connection,
      signal,
    });
    sent.once('response', resolve);
    sent.once('error', reject);
    sent.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new EgressError('The server wants to speak another protocol'));
    });
    sent.end(body);
  });
}

interface Body {
  readonly body: Buffer;
  readonly truncated: boolean;
}

/** Reads as much as is kept and lets go of the rest; a compressed body counts by what comes out of it. */
async function readBody(response: IncomingMessage, most: number): Promise<Body> {
  const source = decoded(response);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > most) break;
    }
  } finally {
    source.destroy();
    response.destroy();
  }
  return { body: Buffer.concat(chunks).subarray(0, most), truncated: size > most };
}

function decoded(response: IncomingMessage): Readable {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return response;
  const decoder = DECODERS.get(encoding)?.();
  if (decoder === undefined) {
    response.destroy();
    throw new EgressError(`The response has a content encoding that was not asked for: "${encoding.slice(0, 40)}"`);
  }
  response.once('error', (error) => decoder.destroy(error));
  return response.pipe(decoder);
}

const DECODERS: ReadonlyMap<string, () => NodeJS.ReadWriteStream & Readable> = new Map([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['br', () => createBrotliDecompress()],
]);

function pairs(raw: readonly string[]): [string, string][] {
  const list: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) list.push([raw[index] ?? '', raw[index + 1] ?? '']);
  return list;
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the connection was cut'],
  ['EPIPE', 'the connection was cut'],
  ['ETIMEDOUT', 'the server did not answer'],
  ['EHOSTUNREACH', 'the server cannot be reached'],
  ['ENETUNREACH', 'the server cannot be reached'],
  ['HPE_HEADER_OVERFLOW', 'the response has too many headers'],
  ['Z_DATA_ERROR', 'the response is compressed badly'],
  ['Z_BUF_ERROR', 'the response ended too early'],
]);

function reasonOf(error: unknown): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  const known = REASONS.get(code);
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return 'the response is not HTTP';
  if (/^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|EPROTO)/.test(code)) {
    return `the secure connection could not be made (${code})`;
  }
  return 'the connection failed';
}
