import { LEGACY, MODERN } from '../../scenarios/revisions.ts';
import { type Act, actOf } from './acts.ts';
import { LegacyTalker } from './legacy-talker.ts';
import { ModernTalker } from './modern-talker.ts';
import { randomFrom, secretOf } from './secret.ts';
import { type HttpOptions, SessionTalker } from './session-talker.ts';
import { type StdioOptions, StdioTalker } from './stdio-talker.ts';
import type { Talker } from './talker.ts';
import { addTallies, type Tally } from './tally.ts';

/** Every kind of client there is over HTTP. */
export const HTTP_KINDS = ['sse', ...LEGACY.slice(1), MODERN] as const;
/** Every kind of client there is on a pipe. */
export const PIPE_KINDS = [...LEGACY, MODERN, 'action'] as const;

export type Extra = Partial<Omit<HttpOptions, 'name' | 'secret' | 'revision' | 'url'>>;

let clients = 0;

/** Names a new client and gives it a secret. */
export function newcomer(kind: string): { name: string; secret: string } {
  clients += 1;
  return { name: `${kind}#${clients}`, secret: secretOf(clients) };
}

/** A client over HTTP, not open yet. */
export function httpTalker(kind: string, url: string, extra: Extra = {}): SessionTalker | ModernTalker | LegacyTalker {
  const options = { ...newcomer(kind), revision: kind === 'sse' ? '2024-11-05' : kind, url, ...extra };
  if (kind === 'sse') return new LegacyTalker(options);
  return kind === MODERN ? new ModernTalker(options) : new SessionTalker(options);
}

/** A client on a pipe, not open yet. */
export function pipeTalker(
  kind: string,
  extra: Omit<Partial<StdioOptions>, 'name' | 'secret' | 'revision'> = {},
): StdioTalker {
  return new StdioTalker({ ...newcomer(kind), revision: kind, ...extra });
}

/** Clients that go on doing things until they are told to stop. */
export class Crowd {
  readonly talkers: readonly Talker[];
  readonly #random: () => number;
  #going = false;
  #work: Promise<void>[] = [];
  /** How many acts were done. */
  acts = 0;

  constructor(talkers: readonly Talker[], seed = 1) {
    this.talkers = talkers;
    this.#random = randomFrom(seed);
  }

  async open(): Promise<this> {
    await Promise.all(this.talkers.map((talker) => talker.open()));
    for (const talker of this.talkers) if (talker instanceof SessionTalker) talker.listen();
    return this;
  }

  /** Starts everybody: always the same act, or what comes up. */
  start({ act, restMs = 0 }: { act?: Act; restMs?: number } = {}): this {
    this.#going = true;
    this.#work = this.talkers.map(async (talker) => {
      while (this.#going) {
        await (act ?? actOf(talker, this.#random))(talker, this.#random);
        this.acts += 1;
        if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
      }
    });
    return this;
  }

  /** Lets everybody finish what they do. */
  async stop(): Promise<void> {
    this.#going = false;
    await Promise.all(this.#work);
  }

  async close(): Promise<Tally> {
    await this.stop();
    await Promise.all(this.talkers.map((talker) => talker.close()));
    return this.tally();
  }

  tally(): Tally {
    return addTallies(this.talkers.map(({ ledger }) => ledger.tally));
  }

  remarks(): string[] {
    return this.talkers.flatMap(({ ledger }) => ledger.remarks);
  }
}
