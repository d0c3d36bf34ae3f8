import { actOf } from '../chaos/load/acts.ts';
import { LegacyTalker } from '../chaos/load/legacy-talker.ts';
import { SessionTalker } from '../chaos/load/session-talker.ts';
import type { Talker } from '../chaos/load/talker.ts';
import { addTallies, emptyTally, type Tally } from '../chaos/load/tally.ts';

export interface ResidentOptions {
  /** Makes the next client of this place. */
  next(): Talker;
  readonly random: () => number;
  /** How many things one client does before it leaves, about; for ever when it is not said. */
  readonly stay?: number;
}

/** A place at the server that is always taken: one client does things, leaves in some way, and the next comes. */
export class Resident {
  readonly #options: ResidentOptions;
  #past: Tally = emptyTally();
  #talker: Talker | undefined;
  #going = false;
  #moves = 0;
  readonly remarks: string[] = [];

  constructor(options: ResidentOptions) {
    this.#options = options;
  }

  get tally(): Tally {
    return this.#talker === undefined ? this.#past : addTallies([this.#past, this.#talker.ledger.tally]);
  }

  /** The server is another one: whoever is here has to come anew. */
  evict(): void {
    this.#moves += 1;
  }

  stop(): void {
    this.#going = false;
  }

  async live(): Promise<void> {
    const { random, stay } = this.#options;
    this.#going = true;
    while (this.#going) {
      const talker = await this.#enter();
      const moves = this.#moves;
      const acts = stay === undefined ? Number.POSITIVE_INFINITY : Math.ceil(stay * 2 * random());
      for (let act = 0; act < acts && this.#going && moves === this.#moves; act += 1) {
        await actOf(talker, random)(talker, random);
        if (random() < 0.02) disturb(talker);
      }
      await this.#leave(talker);
    }
  }

  async #enter(): Promise<Talker> {
    const talker = this.#options.next();
    this.#talker = talker;
    await talker.open();
    if (talker instanceof SessionTalker && this.#options.random() < 0.7) talker.listen();
    return talker;
  }

  /** Most say good-bye; some just vanish, and the server has to notice. */
  async #leave(talker: Talker): Promise<void> {
    if (talker instanceof SessionTalker && this.#options.random() < 0.3) {
      talker.abandon();
      talker.ledger.close();
    } else await talker.close();
    this.#talker = undefined;
    this.#past = addTallies([this.#past, talker.ledger.tally]);
    this.remarks.push(...talker.ledger.remarks);
  }
}

/** Cuts the stream a client hears on, or has it read slowly for a moment. */
function disturb(talker: Talker): void {
  if (talker instanceof SessionTalker) talker.dropMain();
  if (!(talker instanceof LegacyTalker)) return;
  talker.pauseMain();
  setTimeout(() => talker.resumeMain(), 200);
}
