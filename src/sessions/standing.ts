import type { Dialect } from '../dialects/dialect.ts';
import type { Footing, Opening } from '../dialects/opening.ts';
import type { Eventually } from '../model/json.ts';
import type { LogLevel, Peer } from '../model/peer.ts';
import type { Ask } from '../model/verbs.ts';
import type { House } from './house.ts';

const NOBODY: Peer = Object.freeze({ client: undefined, capabilities: Object.freeze({}) });

/** Where a peer stood before, or stands without ever having shaken hands. */
export interface Resumed {
  readonly revision: string;
  readonly peer?: Peer;
  readonly level?: LogLevel;
  readonly watched?: readonly string[];
  /** False: the handshake was answered, and the client has yet to say that it is ready. */
  readonly ready?: boolean;
}

/** Where a peer stands: what it speaks, what it said of itself, and how far its handshake is. */
export class Standing implements Footing {
  readonly #gate: House['gate'];
  readonly #first: Dialect;
  #pinned: Dialect | undefined;
  #voice: Dialect | undefined;
  #phase: 'new' | 'answered' | 'ready' = 'new';
  #wakes: (() => void)[] | undefined;
  peer: Peer = NOBODY;
  level: LogLevel = 'info';

  constructor({ speakers, gate }: Pick<House, 'speakers' | 'gate'>, resumed?: Resumed) {
    this.#first = speakers.voice;
    this.#gate = gate;
    if (resumed !== undefined) this.#resume(resumed, speakers.find(resumed.revision));
  }

  #resume({ peer = NOBODY, level = 'info', ready = true }: Resumed, dialect: Dialect | undefined): void {
    this.#pinned = dialect;
    this.#voice = dialect;
    this.#phase = ready ? 'ready' : 'answered';
    this.peer = peer;
    this.level = level;
  }

  get pinned(): Dialect | undefined {
    return this.#pinned;
  }

  get voice(): Dialect {
    return this.#voice ?? this.#first;
  }

  /** The dialect that answers what cannot be read at all. */
  get speaker(): Dialect {
    return this.#pinned ?? this.voice;
  }

  /** The dialect a session is pushed messages in, once it is ready for them. */
  get pushed(): Dialect | undefined {
    return this.#phase === 'ready' && this.#pinned?.pushes === 'session' ? this.#pinned : undefined;
  }

  /** The first dialect understood answers what cannot be understood later. */
  understood(dialect: Dialect): void {
    this.#voice ??= dialect;
  }

  /** A handshake was answered. */
  open(dialect: Dialect, { client, capabilities }: Ask<'hello'>): void {
    this.#pinned = dialect;
    if (this.#voice?.opens !== 'never') this.#voice = dialect;
    this.#phase = 'answered';
    this.peer = { client, capabilities };
  }

  /** What there is to remember, once a handshake was answered. */
  memory(): Resumed | undefined {
    const revision = this.#pinned?.revision;
    if (revision === undefined) return undefined;
    return { revision, peer: this.peer, level: this.level, ready: this.#phase === 'ready' };
  }

  /** Whether a request comes before the handshake is far enough. */
  isEarly({ how, dialect }: Pick<Opening, 'how' | 'dialect'>): boolean {
    if (how === 'unopened') return true;
    return dialect === this.#pinned && this.#gate === 'ready' && this.#phase !== 'ready';
  }

  /** Whether the handshake was answered, and the client has yet to say that it is ready. */
  get awaited(): boolean {
    return this.#phase === 'answered';
  }

  /** The client says it is ready. */
  becomeReady(): void {
    if (this.#phase !== 'answered') return;
    this.#phase = 'ready';
    const wakes = this.#wakes ?? [];
    this.#wakes = undefined;
    for (const wake of wakes) wake();
  }

  /** Resolves when the peer may be asked. */
  ready(): Eventually<void> {
    if (this.#phase !== 'answered') return undefined;
    this.#wakes ??= [];
    const wakes = this.#wakes;
    return new Promise<void>((resolve) => wakes.push(resolve));
  }
}
