import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** By connection, the last request that had its answer although the rest of it was still arriving. */
const early = new WeakMap<Duplex, IncomingMessage>();

/** Notes that a request is answered before it is whole: whatever is wrong with the rest, a second answer would be too many. */
export function answeredEarly(request: IncomingMessage): void {
  early.set(request.socket, request);
}

/** Whether what is arriving on a connection belongs to a request that has its answer. */
export function isAnswered(socket: Duplex): boolean {
  return early.get(socket)?.complete === false;
}
