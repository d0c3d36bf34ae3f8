import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServerProcess } from '../load/server-process.ts';
import { Engine, freePort } from './engine.ts';
import { Gate } from './gate.ts';
import type { Places } from './roaming-wire.ts';
import { STARTS } from './tools.ts';

const TOOLS = fileURLToPath(new URL('./tools.js', import.meta.url));

/** Shorter than usual: clients in these runs do not wait half a minute to hear that a task is gone with its replica. */
const TASK_LEASE_MS = 3000;

const PATIENT_MS = 10_000;

export interface FleetOptions {
  readonly replicas: number;
  /** Processes of one command that share a store in its memory, and no Redis. */
  readonly workers?: number | undefined;
  readonly tokens: readonly string[];
  /** Redis may be slow without being away: the machine is, and the fault is another one. */
  readonly patient?: boolean;
}

interface Berth {
  readonly port: number;
  readonly gate: Gate | undefined;
  server: ServerProcess;
  /** Clients are not sent there any more. */
  out: boolean;
}

/** Replicas of one server with a Redis below them, each with a way there of its own. */
export class Fleet implements Places {
  readonly engine: Engine | undefined;
  readonly #folder: string;
  readonly #options: FleetOptions;
  readonly #berths: Berth[] = [];
  /** What replicas that are gone wrote to their logs. */
  readonly logs: string[] = [];

  private constructor(folder: string, engine: Engine | undefined, options: FleetOptions) {
    this.#folder = folder;
    this.engine = engine;
    this.#options = options;
  }

  static async launch(options: FleetOptions): Promise<Fleet> {
    const folder = mkdtempSync(join(tmpdir(), 'parley-fleet-'));
    const engine = options.workers === undefined ? new Engine(await freePort(), folder) : undefined;
    const fleet = new Fleet(folder, engine, options);
    writeFileSync(join(folder, 'starts'), '');
    writeFileSync(join(folder, 'tokens.json'), JSON.stringify({ tokens: options.tokens.map(tokenOf) }));
    try {
      await engine?.start();
      const size = engine === undefined ? 1 : options.replicas;
      await Promise.all(Array.from({ length: size }, () => fleet.#add()));
    } catch (error) {
      await fleet.sink();
      throw error;
    }
    return fleet;
  }

  get size(): number {
    return this.#berths.length;
  }

  origins(): readonly string[] {
    return this.#berths.filter(({ out }) => !out).map(({ port }) => `http://127.0.0.1:${port}`);
  }

  server(at: number): ServerProcess {
    return this.#berth(at).server;
  }

  gate(at: number): Gate {
    const { gate } = this.#berth(at);
    if (gate === undefined) throw new Error('There is no Redis to be cut off from');
    return gate;
  }

  get gates(): readonly Gate[] {
    return this.#berths.flatMap(({ gate }) => gate ?? []);
  }

  /** Sends no more requests to a replica; what is open there stays. */
  takeOut(at: number): void {
    this.#berth(at).out = true;
  }

  /** Starts a replica anew, where one has ended. */
  async restart(at: number): Promise<void> {
    const berth = this.#berth(at);
    this.logs.push(berth.server.log);
    berth.server = await this.#start(berth);
    berth.out = false;
  }

  /** How often the tool that must not be run twice was started for each key. */
  starts(): Map<string, number> {
    const counted = new Map<string, number>();
    for (const key of readFileSync(join(this.#folder, 'starts'), 'utf8').split('\n'))
      if (key !== '') counted.set(key, (counted.get(key) ?? 0) + 1);
    return counted;
  }

  /** Ends everything. */
  async sink(): Promise<void> {
    for (const { server, gate } of this.#berths) {
      server.child.kill('SIGCONT');
      server.child.kill('SIGTERM');
      const late = setTimeout(() => server.child.kill('SIGKILL'), 3000);
      await server.exit;
      clearTimeout(late);
      gate?.close();
      this.logs.push(server.log);
    }
    this.engine?.signal('SIGCONT');
    await this.engine?.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #berth(at: number): Berth {
    const berth = this.#berths[at];
    if (berth === undefined) throw new Error(`There is no replica ${at}`);
    return berth;
  }

  async #add(): Promise<void> {
    const gate = this.engine === undefined ? undefined : await Gate.open(this.engine.port);
    const place = { port: await freePort(), gate };
    this.#berths.push({ ...place, server: await this.#start(place), out: false });
  }

  #start({ port, gate }: Pick<Berth, 'port' | 'gate'>): Promise<ServerProcess> {
    const { workers, patient = false } = this.#options;
    const patience = patient ? `?timeout=${PATIENT_MS}` : '';
    const store = gate === undefined ? 'memory:' : `redis://127.0.0.1:${gate.port}${patience}`;
    const crew = workers === undefined ? [] : ['--workers', String(workers)];
    return ServerProcess.start({
      port,
      limits: { taskLeaseMs: TASK_LEASE_MS },
      args: ['--module', TOOLS, '--store', store, '--auth-tokens', join(this.#folder, 'tokens.json'), ...crew],
      env: { PARLEY_SECRET: 'one for the whole fleet, long enough', [STARTS]: join(this.#folder, 'starts') },
    });
  }
}

function tokenOf(token: string): { id: string; sha256: string; scopes: string[] } {
  return { id: `p-${token}`, sha256: createHash('sha256').update(token).digest('hex'), scopes: [] };
}
