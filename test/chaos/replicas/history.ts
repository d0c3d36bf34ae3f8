import { createWriteStream, type WriteStream } from 'node:fs';

/** One line of the history: who, when, and what was said or heard. */
export type Entry = { readonly at: number; readonly client: string } & Happening;

export type Happening =
  /** A request goes out. */
  | { readonly kind: 'sent'; readonly id: string; readonly what: string; readonly stateless: boolean }
  /** A terminal answer came: without a code, a result. */
  | { readonly kind: 'answered'; readonly id: string; readonly code?: string }
  /** The way of the answer is cut, and nothing came by which to take it up again. */
  | { readonly kind: 'cut'; readonly id: string }
  /** The server says that it does not know whether the request arrived. */
  | { readonly kind: 'unsure'; readonly id: string }
  /** The client itself hung up, and asks again elsewhere. */
  | { readonly kind: 'left'; readonly id: string }
  /** The stream of the answer ended early, and is taken up again. */
  | { readonly kind: 'resumed'; readonly id: string }
  /** The server says that events of this stream are not kept any more. */
  | { readonly kind: 'gap'; readonly id: string }
  /** No answer, and none is waited for any more. */
  | { readonly kind: 'silent'; readonly id: string }
  /** An event of a stream; `bare`: it only names its place. */
  | {
      readonly kind: 'event';
      readonly session: string;
      readonly stream: string;
      readonly number: number;
      readonly bare: boolean;
    }
  /** The session, or the channel of the older transport, is not known any more. */
  | { readonly kind: 'forgotten' }
  /** The channel of the older transport broke, and is opened again. */
  | { readonly kind: 'reopened' }
  /** What the client set out to do is done, or cannot be. */
  | { readonly kind: 'done'; readonly deed: string; readonly ms: number }
  | { readonly kind: 'undone'; readonly deed: string; readonly why: string }
  /** The conductor of the run: a fault begins, and is over. */
  | { readonly kind: 'fault'; readonly phase: 'on' | 'off' };

/** Everything that happened in one run, in the order in which it did. */
export class History {
  readonly entries: Entry[] = [];
  readonly #file: WriteStream | undefined;

  constructor(path?: string) {
    this.#file = path === undefined ? undefined : createWriteStream(path, { flags: 'a' });
  }

  add(client: string, happening: Happening): void {
    const entry = { at: performance.now(), client, ...happening };
    this.entries.push(entry);
    this.#file?.write(`${JSON.stringify(entry)}\n`);
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#file === undefined) resolve();
      else this.#file.end(() => resolve());
    });
  }
}
