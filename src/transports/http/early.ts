import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** Connections whose request has its answer although the rest of it is still arriving. */
const early = new WeakSet<Duplex>();

/** Notes that a request is answered before it is whole: whatever is wrong with the rest, a second answer would be too many. */
export function answeredEarly(request: IncomingMessage): void {
  const { socket } = request;
  early.add(socket);
  request.once('end', () => early.delete(socket));
}

/** Whether what is arriving on a connection belongs to a request that has its answer. */
export function isAnswered(socket: Duplex): boolean {
  return early.has(socket);
}
