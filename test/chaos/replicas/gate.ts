import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { CommandCounter } from './command-counter.ts';

/** A way to Redis that can be cut: nothing gets through then, nobody is told, and what was sent comes late. */
export class Gate {
  readonly port: number;
  /** What went through, for who counts. */
  readonly counter = new CommandCounter();
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #open = true;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  static async open(target: number): Promise<Gate> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const gate = new Gate(server, (server.address() as { port: number }).port);
    server.on('connection', (socket: Socket) => gate.#join(socket, target));
    return gate;
  }

  cut(): void {
    this.#open = false;
    for (const socket of this.#sockets) socket.pause();
  }

  heal(): void {
    this.#open = true;
    for (const socket of this.#sockets) socket.resume();
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(near: Socket, target: number): void {
    const far = connect(target, '127.0.0.1');
    const count = this.counter.listener();
    near.on('data', (bytes) => {
      count(bytes);
      far.write(bytes);
    });
    far.on('data', (bytes) => near.write(bytes));
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      if (!this.#open) socket.pause();
      socket
        .on('error', () => {})
        .on('close', () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
    }
  }
}
