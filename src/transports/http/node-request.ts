import { IncomingMessage } from 'node:http';
import { type ToldBody, WholeBody } from './node-body.ts';

/**
 * A request whose body can be had whole. Most bodies are short and here at once, and a stream, with its events and turns
 * of the event loop, costs more than what it carries. Until somebody waits for the whole body, it is a stream.
 */
export class NodeRequest extends IncomingMessage {
  #body: WholeBody | undefined;
  /** Some of the body, or all of it, went where the stream's readers find it. */
  #streamed = false;
  /** The whole body was handed over. */
  #handed = false;

  /** Hands over the body when the request is complete; false when it is too late, since some of it was streamed. */
  whenWhole(told: ToldBody): boolean {
    if (this.#streamed || this.destroyed) return false;
    this.#body = new WholeBody(told);
    // Tells Node that the body has a reader.
    this.read(0);
    return true;
  }

  /**
   * What the parser found of the body, and `null` when the request is complete. The body is handed over only then: what
   * a tool throws before would end up in the parser, which takes it for broken HTTP.
   */
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    const body = this.#body;
    if (body === undefined || body.over) {
      this.#streamed = true;
      return super.push(chunk, encoding);
    }
    if (chunk === null) {
      this.#handed = true;
      body.complete();
      this.#body = undefined;
    } else body.add(chunk);
    return true;
  }

  /** Node lets go of a request that is answered once its body was read. */
  // @ts-expect-error Node has an accessor where its types know a property.
  override get readableEnded(): boolean {
    return this.#handed || Reflect.get(IncomingMessage.prototype, 'readableEnded', this);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#body?.lose(error);
    super._destroy(error, callback);
  }
}
