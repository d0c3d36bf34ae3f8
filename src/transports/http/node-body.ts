import { isAscii } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Fault } from '../../model/fault.ts';
import { giveRoom, takeRoom } from './body-room.ts';
import type { Body } from './exchange.ts';
import { bodyLost, bodyTooLarge, bodyTooSlow } from './run-handler.ts';

const NOTHING = Buffer.alloc(0);
/** How long a body may take before its rate counts. Silence is not its business: a request has a time of its own. */
const HEAD_START_MS = 5000;

/** Reads a whole body; one that came in a single chunk is that chunk. */
export function readBody(request: IncomingMessage, limit: number, bytesPerSecond = 0): Promise<Buffer> {
  const parsed = alreadyRead(request);
  if (parsed !== undefined) return within(limit, parsed);
  if (Number(request.headers['content-length']) > limit) return Promise.reject(bodyTooLarge(limit));
  if (request.destroyed && !request.readableEnded) return Promise.reject(bodyLost());
  return new Promise((resolve, reject) => {
    const gathered = new Gathered(limit, bytesPerSecond);
    const onData = (chunk: Buffer): void => {
      const fault = gathered.add(chunk);
      if (fault === undefined) return;
      request.off('data', onData);
      reject(fault);
    };
    // Every request closes in the end; a fault is made only for one whose body is still owed.
    const onLost = (error?: Error): void => {
      if (!request.readableEnded) reject(bodyLost(error));
    };
    request.on('data', onData);
    request.on('end', () => resolve(gathered.whole()));
    request.on('error', onLost);
    request.on('close', onLost);
  });
}

/** A body whose length is told, and who waits for it. */
export interface ToldBody {
  readonly length: number;
  /** The least of it that has to come in a second. */
  readonly bytesPerSecond: number;
  /** Called once, with the body or with the fault for which it will not come. The bytes are good only until it returns. */
  done(body: Body | Fault): void;
}

/** Waits for a body of a request that is a stream. */
export function awaitBody(request: IncomingMessage, told: ToldBody): void {
  const body = new WholeBody(told);
  request.on('data', (chunk: Buffer) => body.add(chunk));
  request.on('end', () => body.complete());
  // Every request closes in the end; without a listener for it, the error of one that is cut off is told by this alone.
  request.on('close', () => body.lose());
}

/** A body on its way, which is handed over, or given up, once. */
export class WholeBody {
  readonly #told: ToldBody;
  #bytes: Buffer | undefined;
  #filling: Filling | undefined;
  /** Looked at chunk by chunk, since what just came is still close to the processor. */
  #ascii = true;
  over = false;

  constructor(told: ToldBody) {
    this.#told = told;
  }

  add(chunk: Buffer): void {
    if (this.over) return;
    const { length, bytesPerSecond } = this.#told;
    this.#ascii &&= isAscii(chunk);
    if (this.#filling === undefined && chunk.length === length) {
      this.#bytes = chunk;
      return;
    }
    this.#filling ??= new Filling(length);
    this.#filling.add(chunk);
    if (this.#filling.isSlow(bytesPerSecond)) this.#settle(bodyTooSlow(bytesPerSecond));
    else if (this.#filling.size === length) this.#bytes = this.#filling.bytes;
  }

  complete(): void {
    if (this.#bytes === undefined) this.lose();
    else this.#settle(this.#ascii ? this.#bytes.toString('latin1') : this.#bytes);
  }

  lose(cause?: unknown): void {
    if (!this.over) this.#settle(bodyLost(cause));
  }

  #settle(body: Body | Fault): void {
    if (this.over) return;
    this.over = true;
    this.#bytes = undefined;
    this.#told.done(body);
    this.#filling?.giveBack();
    this.#filling = undefined;
  }
}

/** What has come of a body whose length is told, where it will stay: no chunk is kept. */
class Filling {
  readonly #length: number;
  readonly #since = performance.now();
  #room: Buffer = NOTHING;
  size = 0;

  constructor(length: number) {
    this.#length = length;
  }

  /** The parser gives no more bytes than the length says. */
  add(chunk: Buffer): void {
    const size = this.size + chunk.length;
    if (size > this.#room.length) {
      const roomier = takeRoom(size, this.#length);
      this.#room.copy(roomier, 0, 0, this.size);
      this.#room = roomier;
    }
    chunk.copy(this.#room, this.size);
    this.size = size;
  }

  /** What came so far; good until the room is given back. */
  get bytes(): Buffer {
    return this.#room.subarray(0, this.size);
  }

  giveBack(): void {
    giveRoom(this.#room);
    this.#room = NOTHING;
  }

  isSlow(bytesPerSecond: number): boolean {
    return isSlow(this.size, performance.now() - this.#since, bytesPerSecond);
  }
}

/** What has come of a body. */
class Gathered {
  readonly #limit: number;
  readonly #bytesPerSecond: number;
  #only: Buffer | undefined;
  #several: Buffer[] | undefined;
  #size = 0;
  #since = 0;

  constructor(limit: number, bytesPerSecond: number) {
    this.#limit = limit;
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** Takes a chunk; lets go of everything and says why when it is too much, or came too slowly. */
  add(chunk: Buffer): Fault | undefined {
    this.#size += chunk.length;
    if (this.#size > this.#limit) return this.#drop(bodyTooLarge(this.#limit));
    if (this.#only === undefined) {
      this.#only = chunk;
      this.#since = performance.now();
      return undefined;
    }
    if (isSlow(this.#size, performance.now() - this.#since, this.#bytesPerSecond)) {
      return this.#drop(bodyTooSlow(this.#bytesPerSecond));
    }
    if (this.#several === undefined) this.#several = [this.#only, chunk];
    else this.#several.push(chunk);
    return undefined;
  }

  whole(): Buffer {
    if (this.#several === undefined) return this.#only ?? NOTHING;
    return Buffer.concat(this.#several, this.#size);
  }

  #drop(fault: Fault): Fault {
    this.#only = undefined;
    this.#several = undefined;
    return fault;
  }
}

function isSlow(size: number, tookMs: number, bytesPerSecond: number): boolean {
  return tookMs > HEAD_START_MS && size * 1000 < bytesPerSecond * tookMs;
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
