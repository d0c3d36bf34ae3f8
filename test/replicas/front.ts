import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A balancer without a memory: every connection goes to the next port. */
export interface Front {
  readonly port: number;
  close(): Promise<void>;
}

/** Passes connections on to the ports in turn. */
export async function openFront(ports: readonly number[]): Promise<Front> {
  const sockets = new Set<Socket>();
  let next = 0;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('close', () => sockets.delete(socket)).on('error', () => {});
  };
  const server = createServer((socket) => {
    const back = keep(connect(ports[next++ % ports.length] as number, '127.0.0.1'));
    keep(socket).pipe(back).pipe(socket);
    socket.on('close', () => back.destroy());
    back.on('close', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as { port: number }).port,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
