import type { Readable, Writable } from 'node:stream';
import { Fault } from '../model/fault.ts';
import type { Eventually, Json } from '../model/json.ts';
import type { Limits } from '../model/limits.ts';
import type { Log } from '../model/log.ts';
import { Framed } from '../rpc/framed.ts';
import { type Line, LineReader, Overlong } from '../rpc/lines.ts';
import { parseMessage } from '../rpc/parse.ts';
import { LineWriter } from './line-writer.ts';

const HIGH_WATER = 1024 * 1024;
const BLANK = /^[ \t\r]*$/;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export interface Reply {
  readonly text: string;
}

/** What a conversation is to a transport. */
export interface Conversation {
  /** One parsed message; `size` is its length in bytes. No reply when none is due. */
  receive(message: Json, size: number): Eventually<Reply | undefined>;
  /** The reply to bytes that never became a message; none when this peer gets none. */
  refuse(fault: Fault, size: number): Eventually<Reply | undefined>;
  /** A blank line. */
  blank(): Eventually<Reply | undefined>;
  /** No more input: resolves when in-flight work is answered or the grace period is over. */
  drain(graceMs: number): Promise<void>;
  close(reason: string): void;
}

/** Takes an unsolicited message; false when the peer is behind and what can wait should. */
export type Outlet = (text: string) => boolean;

export type EndReason = 'end of input' | 'output closed' | 'shutdown';

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly converse: (outlet: Outlet) => Conversation;
  readonly limits: Limits;
  readonly log: Log;
  /** Unread output, in bytes, from which on no input is read; 1 MiB unless given. */
  readonly highWater?: number;
  readonly onEnd?: (reason: EndReason) => void;
}

export interface StdioServer {
  /** Resolves when the stream is over and everything that could be written was; never rejects. */
  readonly closed: Promise<void>;
  /** Takes no more input, lets work in flight finish within the grace period, and closes. */
  shutdown(): Promise<void>;
}

/** Serves one peer, one message a line. */
export function serveStdio(options: StdioOptions): StdioServer {
  return new LineStream(options);
}

class LineStream implements StdioServer {
  readonly closed: Promise<void>;
  readonly #options: StdioOptions;
  readonly #nesting: { readonly depth: number; readonly keys: number };
  readonly #reader: LineReader;
  readonly #writer: LineWriter;
  readonly #conversation: Conversation;
  #resolve: () => void = () => {};
  #phase: 'open' | 'draining' | 'closed' = 'open';
  #first = true;
  #ended = false;

  constructor(options: StdioOptions) {
    const { input, output, limits, converse, highWater = HIGH_WATER } = options;
    this.#options = options;
    this.#nesting = { depth: limits.jsonDepth, keys: limits.jsonKeys };
    this.closed = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#reader = new LineReader(limits.messageBytes);
    this.#writer = new LineWriter(output, {
      highWater,
      onDrain: () => this.#pump(),
      onBroken: (error) => this.#broken(error),
    });
    this.#conversation = converse((text) => this.#writer.write(text));
    input.on('data', this.#onData);
    input.on('end', this.#onEnd);
    input.on('close', this.#onEnd);
    input.on('error', this.#onError);
  }

  async shutdown(): Promise<void> {
    await this.#finish('shutdown');
    await this.closed;
  }

  readonly #onData = (chunk: Buffer | string): void => {
    this.#reader.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    this.#pump();
  };

  readonly #onEnd = (): void => {
    if (this.#ended) return;
    this.#ended = true;
    this.#reader.end();
    this.#pump();
  };

  readonly #onError = (error: Error): void => {
    this.#options.log('warn', 'Cannot read the input any more', { error });
    this.#onEnd();
  };

  /** Works through the lines at hand until there are none or the peer is too far behind with reading. */
  #pump(): void {
    if (this.#phase !== 'open') return;
    this.#writer.batch(this.#takeLines);
    const { input } = this.#options;
    if (this.#writer.full) input.pause();
    else if (this.#ended) void this.#finish('end of input');
    else if (input.isPaused()) input.resume();
  }

  readonly #takeLines = (): void => {
    while (!this.#writer.full && this.#phase === 'open') {
      const line = this.#reader.next();
      if (line === undefined) return;
      try {
        const reply = this.#reply(line);
        if (reply instanceof Promise) reply.then(this.#answer, this.#failed);
        else this.#answer(reply);
      } catch (error) {
        this.#failed(error);
      }
    }
  };

  #reply(line: Line | Overlong): Eventually<Reply | undefined> {
    const first = this.#first;
    this.#first = false;
    if (line instanceof Overlong) return this.#conversation.refuse(this.#tooLong(), line.size);
    const bytes = first ? withoutMark(line) : line;
    if (isBlank(bytes)) return this.#conversation.blank();
    let message: Json;
    try {
      message = parseMessage(bytes, this.#nesting);
    } catch (fault) {
      return this.#conversation.refuse(Fault.from(fault), bytes.length);
    }
    return this.#conversation.receive(message, bytes.length);
  }

  #tooLong(): Fault {
    const { messageBytes } = this.#options.limits;
    const data = { limit: messageBytes };
    return new Fault('E_TOO_LARGE', `Cannot read the message: longer than ${messageBytes} bytes`, { data });
  }

  readonly #answer = (reply: Reply | undefined): void => {
    if (reply !== undefined) this.#writer.write(reply instanceof Framed ? reply : reply.text);
  };

  /** The conversation answers for its own failures; one that throws has a bug, and the next line has not. */
  readonly #failed = (error: unknown): void => {
    this.#options.log('error', 'A conversation failed on a message', { error });
  };

  #broken(error: Error | undefined): void {
    this.#options.log('info', 'The output is closed', { error });
    this.#close('output closed');
  }

  async #finish(reason: EndReason): Promise<void> {
    if (this.#phase !== 'open') return;
    this.#phase = 'draining';
    this.#leaveInput();
    const { drainMs } = this.#options.limits;
    try {
      await this.#conversation.drain(drainMs);
    } catch (error) {
      this.#failed(error);
    }
    // A reply that came with the end of the drain is written in the same turn.
    await new Promise((resolve) => setImmediate(resolve));
    await this.#writer.settle(drainMs);
    this.#close(reason);
  }

  #close(reason: EndReason): void {
    if (this.#phase === 'closed') return;
    this.#phase = 'closed';
    this.#leaveInput();
    try {
      this.#conversation.close(reason);
    } catch (error) {
      this.#failed(error);
    }
    this.#writer.stop();
    this.#options.onEnd?.(reason);
    this.#resolve();
  }

  /** The error listener stays: an error after the end is nobody's business but must not be thrown. */
  #leaveInput(): void {
    const { input } = this.#options;
    input.off('data', this.#onData);
    input.off('end', this.#onEnd);
    input.off('close', this.#onEnd);
    input.pause();
  }
}

function withoutMark(line: Line): Line {
  return typeof line !== 'string' && line.subarray(0, 3).equals(BYTE_ORDER_MARK) ? line.subarray(3) : line;
}

/** Nothing but JSON white space; almost always the first byte tells. */
function isBlank(line: Line): boolean {
  const first = typeof line === 'string' ? line.charCodeAt(0) : line[0];
  return first === undefined || !(first > 32) ? BLANK.test(line.toString('latin1')) : false;
}
