import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** By connection, the responses that wait for their turn on it. */
const queues = new WeakMap<Duplex, Set<ServerResponse>>();

/**
 * Lets a response know when its connection is closed before its turn has come. A client may send requests without waiting
 * for answers, and of their responses Node tells only the first that nobody is there any more.
 */
export function followConnection(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  if (response.socket !== null || typeof socket?.once !== 'function') return;
  const waiting = queues.get(socket) ?? openQueue(socket);
  waiting.add(response);
  response.once('close', () => waiting.delete(response));
}

function openQueue(socket: Duplex): Set<ServerResponse> {
  const waiting = new Set<ServerResponse>();
  queues.set(socket, waiting);
  socket.once('close', () => {
    for (const response of waiting) {
      if (response.socket !== null) continue;
      response.destroy();
      response.emit('close');
    }
  });
  return waiting;
}
