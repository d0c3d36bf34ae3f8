import type { IncomingMessage } from 'node:http';
import { bodyLost, bodyTooLarge } from './run-handler.ts';

const NOTHING = Buffer.alloc(0);

/** Reads a whole body; one that came in a single chunk is that chunk. */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const parsed = alreadyRead(request);
  if (parsed !== undefined) return within(limit, parsed);
  if (Number(request.headers['content-length']) > limit) return Promise.reject(bodyTooLarge(limit));
  if (request.destroyed && !request.readableEnded) return Promise.reject(bodyLost());
  return new Promise((resolve, reject) => {
    let only: Buffer | undefined;
    let several: Buffer[] | undefined;
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) {
        request.off('data', onData);
        several = undefined;
        reject(bodyTooLarge(limit));
      } else if (only === undefined) only = chunk;
      else if (several === undefined) several = [only, chunk];
      else several.push(chunk);
    };
    // Every request closes in the end; a fault is made only for one whose body is still owed.
    const onLost = (error?: Error): void => {
      if (!request.readableEnded) reject(bodyLost(error));
    };
    request.on('data', onData);
    request.on('end', () => resolve(several === undefined ? (only ?? NOTHING) : Buffer.concat(several, size)));
    request.on('error', onLost);
    request.on('close', onLost);
  });
}

/** What a framework's parser made of a body it read before us. */
function alreadyRead(request: IncomingMessage): Buffer | undefined {
  const { body } = request as { body?: unknown };
  if (body === undefined || !request.readableDidRead) return undefined;
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function within(limit: number, bytes: Buffer): Promise<Buffer> {
  return bytes.length > limit ? Promise.reject(bodyTooLarge(limit)) : Promise.resolve(bytes);
}
