import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { childOf, memoryOf, probePath } from './process-facts.ts';

/** What a server process says of itself. */
export interface Vital {
  readonly heap: number;
  readonly external: number;
  readonly rss: number;
  readonly descriptors: number;
  /** Handles and requests that keep the process alive, by kind. */
  readonly resources: Readonly<Record<string, number>>;
}

/** Looks into a server that was started with the preload of this suite. */
export class Probe {
  readonly #started: number;
  readonly #launched: boolean;

  /** `launched`: the server is the child of the process. */
  constructor(pid: number, launched = false) {
    this.#started = pid;
    this.#launched = launched;
  }

  get pid(): number {
    return this.#launched ? (childOf(this.#started) ?? this.#started) : this.#started;
  }

  get rss(): number {
    return memoryOf(this.pid).rss;
  }

  get peak(): number {
    return memoryOf(this.pid).peak;
  }

  /** Collects garbage and counts what is left. */
  async vital(): Promise<Vital> {
    return JSON.parse(await this.#say('vital')) as Vital;
  }

  /** Moves the clock on the wall by that much; timers and `performance.now()` go on as before. */
  async shiftClock(ms: number): Promise<void> {
    await this.#say(`shift ${ms}`);
  }

  async #say(command: string): Promise<string> {
    const path = probePath(this.pid);
    for (let round = 0; !existsSync(path) && round < 200; round += 1) await new Promise((go) => setTimeout(go, 10));
    const socket = connect(path);
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.end(command);
    await once(socket, 'close');
    return text;
  }
}
