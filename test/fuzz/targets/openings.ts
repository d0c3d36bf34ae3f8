import type { Host } from '../../../src/host/host.ts';
import { ALL } from '../../scenarios/revisions.ts';
import { LIMITS, openHost } from '../fixture.ts';
import { exchange, good, handshake } from '../line-talk.ts';
import { messagesOf } from '../messages.ts';
import { LineMaker } from '../mutate/lines.ts';
import { hear } from '../oracle/answers.ts';
import { nodeOf } from '../oracle/json.ts';
import type { Random } from '../random.ts';
import { expect, type OpenTarget, shown, type Tally, type Target } from '../target.ts';

// The first thing a peer says, when nobody knows yet what it speaks; and then a good handshake, which must work.

const STOCK = [
  ...ALL.slice(0, 4).flatMap((revision) =>
    Array.from({ length: 6 }, () => nodeOf(JSON.parse(handshake(revision).toString()))),
  ),
  ...ALL.flatMap((tongue) => messagesOf(tongue)),
  ...messagesOf('action'),
];

class OpeningTarget implements OpenTarget {
  readonly tally: Tally = { lines: 0, malformed: 0, answers: 0, good: 0 };
  readonly #hosts: readonly Host[];

  constructor(hosts: readonly Host[]) {
    this.#hosts = hosts;
  }

  generate(random: Random): Buffer {
    return new LineMaker(STOCK, LIMITS.messageBytes).line(random);
  }

  async check(input: Buffer): Promise<void> {
    const first = input.includes(10) ? input.subarray(0, input.indexOf(10)) : input;
    for (const host of this.#hosts) {
      const said = await exchange(host, [first, Buffer.from('\n'), good('2026-07-28', 1), Buffer.from('\n')]);
      const heard = said.map(hear);
      const own = heard.filter((one) => one.kind === 'named' && one.id === 'good 1');
      const rest = heard.filter((one) => one.kind !== 'aside' && !own.includes(one));
      expect(own.length === 1, () => `the good request behind it got ${own.length} answers: ${shown(said)}`);
      expect(rest.length <= 1, () => `${rest.length} answers to one line: ${shown(said)}`);
      this.tally.answers += rest.length;
    }
    this.tally.lines += 1;
    this.tally.malformed += 1;
    this.tally.good += this.#hosts.length;
  }

  close(): void {
    for (const host of this.#hosts) host.close();
  }
}

export const openings: Target = {
  name: 'openings',
  says: 'the first line of a talk, whoever serves it: one answer at most, and the next request works',
  weight: 2,
  open: async () =>
    new OpeningTarget([await openHost(), await openHost({ bare: true }), await openHost({ voice: 'action' })]),
};
