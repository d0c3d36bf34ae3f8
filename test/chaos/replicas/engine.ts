import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** Whether a Redis can be started here. */
export function hasRedis(): boolean {
  return spawnSync('redis-server', ['--version']).error === undefined;
}

/** A port nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** A Redis of our own that loses nothing it has acknowledged, and that can be killed and started again. */
export class Engine {
  readonly port: number;
  readonly #folder: string;
  #child: ChildProcess | undefined;

  constructor(port: number, folder: string) {
    this.port = port;
    this.#folder = folder;
  }

  async start(): Promise<void> {
    const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
    const place = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.#folder];
    this.#child = spawn('redis-server', [...place, ...durable, '--loglevel', 'warning'], { stdio: 'ignore' });
    for (let round = 0; round < 400; round += 1) {
      if ((await this.say('PING').catch(() => '')) === '+PONG\r\n') return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error('Redis did not start');
  }

  /** Says one word and gives back the beginning of what it answers. */
  say(command: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.port, '127.0.0.1');
      socket.setEncoding('utf8').on('data', (text: string) => {
        socket.destroy();
        resolve(text);
      });
      socket.on('error', reject).on('connect', () => socket.write(`${command}\r\n`));
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
}
