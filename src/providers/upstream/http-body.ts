import { Fault } from '../../model/fault.ts';
import { isObject, type Json } from '../../model/json.ts';
import type { WireId } from '../../model/peer.ts';
import { readEnvelope } from '../../rpc/envelope.ts';
import { parseMessage, parseText } from '../../rpc/parse.ts';
import { EventTooLong, type ReadEvent, SseReader } from '../../rpc/sse.ts';
import { HttpFault } from './verdict.ts';

const DEPTH = { depth: 256, keys: Number.POSITIVE_INFINITY };
/** How long a stream may stay open after its last word before it is cut off. */
const LINGER_MS = 250;

/** The media type of a response in lower case, without parameters. */
export function typeOf({ headers }: Response): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** The whole body as one message; rejects with a fault when it is too long or no JSON. */
export async function readMessage(response: Response, limit: number): Promise<Json> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(response)) {
    size += chunk.length;
    if (size > limit) throw new HttpFault('broken', `The server sent a message longer than ${limit} bytes`);
    chunks.push(chunk);
  }
  return parsed(() => parseMessage(Buffer.concat(chunks), DEPTH));
}

/** The message one event carries; `undefined` when it carries none. */
export function messageOf({ event, data }: ReadEvent): Json | undefined {
  return event !== 'message' || data === '' ? undefined : parsed(() => parseText(data, DEPTH));
}

/** Where a reader of events stands, over all the streams it reads one after the other. */
export interface Position {
  lastId: string | undefined;
  retryMs: number | undefined;
  /** Events so far, those that only have an id among them. */
  events: number;
}

/** Reads a stream to its end or until `take` has what it wants; resolves whether it has. */
export async function readEvents(
  response: Response,
  { position, limit }: { position: Position; limit: number },
  take: (event: ReadEvent) => boolean,
): Promise<boolean> {
  const reader = new SseReader(limit);
  const iterator = chunksOf(response);
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
    const events = pushed(reader, next.value);
    position.retryMs = reader.retryMs ?? position.retryMs;
    for (const event of events) {
      position.events += 1;
      if (!take(event)) continue;
      await untilEnd(iterator);
      return true;
    }
    // An id counts only when everything before it was taken.
    if (reader.lastId !== undefined && reader.lastId !== position.lastId) {
      position.lastId = reader.lastId;
      position.events += 1;
    }
  }
  return false;
}

/** Whether a message, or one in a batch, is the answer to this request. */
export function answers(message: Json, id: WireId): boolean {
  if (Array.isArray(message)) return message.some((one) => answers(one, id));
  return isObject(message) && message['method'] === undefined && message['id'] === id;
}

/** An error that names no request, given the name of the one it can only be about. */
export function addressed(message: Json, id: WireId): Json {
  const envelope = readEnvelope(message);
  return envelope.kind === 'error' && envelope.id === undefined && isObject(message) ? { ...message, id } : message;
}

async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Lets a stream end by itself, so that its connection can be used again; one that goes on is cut off. */
async function untilEnd(iterator: AsyncGenerator<Uint8Array, void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<{ done: true }>((resolve) => {
    timer = setTimeout(() => resolve({ done: true }), LINGER_MS);
  });
  const read = async (): Promise<{ done?: boolean }> => iterator.next();
  let next = await Promise.race([read(), patience]).catch(() => ({ done: true }));
  while (next.done !== true) next = await Promise.race([read(), patience]).catch(() => ({ done: true }));
  clearTimeout(timer);
  void iterator.return();
}

function pushed(reader: SseReader, chunk: Uint8Array): ReadEvent[] {
  try {
    return reader.push(chunk);
  } catch (cause) {
    if (!(cause instanceof EventTooLong)) throw cause;
    throw new HttpFault('broken', `The server sent too long an event: ${cause.message}`, { cause });
  }
}

function parsed(parse: () => Json): Json {
  try {
    return parse();
  } catch (cause) {
    throw new HttpFault('broken', `The server sent no message: ${Fault.from(cause).message}`, { cause });
  }
}
