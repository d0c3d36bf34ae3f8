import { IncomingMessage } from 'node:http';
import type { Fault } from '../../model/fault.ts';
import { isSlow } from './node-body.ts';
import { bodyLost, bodyTooSlow } from './run-handler.ts';

/** A body whose length is told, and who waits for it. */
export interface ToldBody {
  readonly length: number;
  /** The least of it that has to come in a second. */
  readonly bytesPerSecond: number;
  /** Called once, with the body or with the fault for which it will not come. */
  done(body: Buffer | Fault): void;
}

/**
 * A request whose body can be had whole. Most bodies are short and here at once, and a stream, with its events and turns
 * of the event loop, costs more than what it carries. Until somebody waits for the whole body, it is a stream.
 */
export class NodeRequest extends IncomingMessage {
  #awaited: ToldBody | undefined;
  #filling: Filling | undefined;
  #whole: Buffer | undefined;
  /** Some of the body, or all of it, went where the stream's readers find it. */
  #streamed = false;
  /** The whole body was handed over. */
  #handed = false;

  /** Hands over the body when the request is complete; false when it is too late, since some of it was streamed. */
  whenWhole(body: ToldBody): boolean {
    if (this.#streamed || this.destroyed) return false;
    this.#awaited = body;
    // Tells Node that the body has a reader.
    this.read(0);
    return true;
  }

  /**
   * What the parser found of the body, and `null` when the request is complete. The body is handed over only then: what
   * a tool throws before would end up in the parser, which takes it for broken HTTP.
   */
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    const awaited = this.#awaited;
    if (awaited === undefined) {
      this.#streamed = true;
      return super.push(chunk, encoding);
    }
    if (chunk !== null) return this.#add(chunk, awaited);
    this.#handed = true;
    this.#settle(this.#whole ?? bodyLost());
    return false;
  }

  /** Node lets go of a request that is answered once its body was read. */
  // @ts-expect-error Node has an accessor where its types know a property.
  override get readableEnded(): boolean {
    return this.#handed || Reflect.get(IncomingMessage.prototype, 'readableEnded', this);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (this.#awaited !== undefined) this.#settle(bodyLost(error));
    super._destroy(error, callback);
  }

  #add(chunk: Buffer, { length, bytesPerSecond }: ToldBody): boolean {
    if (this.#filling === undefined && chunk.length === length) {
      this.#whole = chunk;
      return true;
    }
    this.#filling ??= new Filling(length);
    this.#filling.add(chunk);
    if (this.#filling.isSlow(bytesPerSecond)) this.#settle(bodyTooSlow(bytesPerSecond));
    else if (this.#filling.size === length) this.#whole = this.#filling.bytes;
    return true;
  }

  /** Whatever comes after it is streamed, to nobody. */
  #settle(body: Buffer | Fault): void {
    const awaited = this.#awaited;
    this.#awaited = undefined;
    this.#filling = undefined;
    this.#whole = undefined;
    awaited?.done(body);
  }
}

/** How much more room than what came is made: a client must send something to have memory taken for it. */
const AHEAD = 16;

/** What has come of a body whose length is told, where it will stay: no chunk is kept. */
class Filling {
  readonly #length: number;
  readonly #since = performance.now();
  bytes = Buffer.alloc(0);
  size = 0;

  constructor(length: number) {
    this.#length = length;
  }

  /** The parser gives no more bytes than the length says. */
  add(chunk: Buffer): void {
    const size = this.size + chunk.length;
    if (size > this.bytes.length) {
      const roomier = Buffer.allocUnsafeSlow(Math.min(this.#length, size * AHEAD));
      this.bytes.copy(roomier, 0, 0, this.size);
      this.bytes = roomier;
    }
    chunk.copy(this.bytes, this.size);
    this.size = size;
  }

  isSlow(bytesPerSecond: number): boolean {
    return isSlow(this.size, performance.now() - this.#since, bytesPerSecond);
  }
}
