import { Fault } from '../../model/fault.ts';
import type { Eventually, Json } from '../../model/json.ts';
import type { Ears, Link } from './link.ts';

/** The other end of a pair: something that takes messages and replies to some of them. */
export interface Party {
  receive(message: Json, size?: number): Eventually<{ readonly text: string } | undefined>;
  close(reason: string): void;
}

export interface PairOptions {
  /** Opens the other end; what it says unasked goes to `outlet`. */
  converse(outlet: (text: string) => void): Party;
  /** Called once the pair is closed. */
  onClose?(): void;
}

/** A link inside one process: no sockets, no child, and the same texts a pipe would carry. */
export function openPair({ converse, onClose }: PairOptions): Link {
  let ears: Ears | undefined;
  let closed = false;
  const party = converse((text) => deliver(text));

  // Never in the middle of the call that caused it, as on a pipe; the order of messages is kept.
  function deliver(text: string): void {
    queueMicrotask(() => {
      if (!closed) ears?.message(JSON.parse(text) as Json);
    });
  }

  async function pass(text: string): Promise<void> {
    const reply = party.receive(JSON.parse(text) as Json, Buffer.byteLength(text));
    const said = reply instanceof Promise ? await reply : reply;
    if (said !== undefined) deliver(said.text);
  }

  return {
    open(listening) {
      ears = listening;
    },
    send(text) {
      if (closed) return;
      queueMicrotask(() => {
        if (!closed) pass(text).catch((cause) => ears?.lost(new Fault('E_INTERNAL', 'The server failed', { cause })));
      });
    },
    close() {
      if (closed) return Promise.resolve();
      closed = true;
      party.close('the client is done');
      onClose?.();
      ears?.closed(new Fault('E_CLOSED', 'The connection is closed'));
      return Promise.resolve();
    },
  };
}
