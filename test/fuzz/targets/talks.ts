import type { Host, HostOptions } from '../../../src/host/host.ts';
import { ALL } from '../../scenarios/revisions.ts';
import { LIMITS, openHost } from '../fixture.ts';
import { talk } from '../line-talk.ts';
import { messagesOf } from '../messages.ts';
import { LineMaker } from '../mutate/lines.ts';
import { dueTo, mayOpen, takenBackBy } from '../oracle/due.ts';
import type { Ground, Tongue } from '../oracle/ground.ts';
import type { Node } from '../oracle/json.ts';
import { settle } from '../oracle/tally.ts';
import { hash, Random } from '../random.ts';
import { type OpenTarget, shown, type Tally, type Target } from '../target.ts';

// The whole server behind a pipe, in every tongue: each line gets what is due to it, and each good request its answer.

const LINES = 64;

/** One target a tongue. */
export const talks: readonly Target[] = [...ALL, 'bare' as const, 'action' as const].map((tongue) => ({
  name: `talk-${tongue}`,
  says: `the whole server over a pipe, ${tongue}`,
  weight: 4,
  async open(): Promise<OpenTarget> {
    return new TalkTarget(tongue, await openHost(mannerOf(tongue)));
  },
}));

function mannerOf(tongue: Tongue): Partial<HostOptions> {
  if (tongue === 'bare') return { bare: true };
  return tongue === 'action' ? { voice: 'action' } : {};
}

class TalkTarget implements OpenTarget {
  readonly tally: Tally = { lines: 0, malformed: 0, answers: 0, good: 0 };
  readonly #tongue: Tongue;
  readonly #host: Host;
  readonly #ground: Ground;
  readonly #stock: readonly Node[];

  constructor(tongue: Tongue, host: Host) {
    this.#tongue = tongue;
    this.#host = host;
    this.#ground = { speaks: tongue, ...LIMITS };
    this.#stock = messagesOf(tongue);
  }

  generate(random: Random): Buffer {
    const maker = new LineMaker(this.#stock, LIMITS.messageBytes);
    const lines = Array.from({ length: LINES }, () => maker.line(random));
    return Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
  }

  async check(input: Buffer): Promise<void> {
    const lines = cutLines(input).filter((line) => !this.#changesTongue(line));
    const { gaps } = await talk(this.#host, this.#tongue, { lines, cut: cutterFor(input) });
    const dues = lines.map((line) => dueTo(line, this.#ground));
    const takenBack = new Set(lines.flatMap((line) => takenBackBy(line, LIMITS.jsonDepth)));
    const explain = (at: number): string => shown(lines[at]?.toString('latin1') ?? 'after the last line');
    settle({ dues, takenBack, pooled: this.#tongue === 'action' }, { gaps }, explain);
    const heard = gaps.flat().filter(({ kind }) => kind !== 'aside');
    const refused = heard.filter((one) => one.kind === 'named' && one.code !== undefined);
    this.tally.lines += lines.length;
    this.tally.answers += heard.length;
    this.tally.good += lines.length + 1;
    this.tally.malformed += dues.filter(({ kind }) => kind !== 'named').length + refused.length;
  }

  /** A second handshake is refused where one was made; where none was, it would change the rules under our feet. */
  #changesTongue(line: Buffer): boolean {
    const fixed = this.#tongue < '2026' && this.#tongue !== 'bare' && this.#tongue !== 'action';
    return !fixed && mayOpen(line, LIMITS.jsonDepth);
  }

  close(): void {
    this.#host.close();
  }
}

function cutLines(input: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let at = input.indexOf(10); at !== -1; at = input.indexOf(10, start)) {
    lines.push(input.subarray(start, at));
    start = at + 1;
  }
  if (start < input.length) lines.push(input.subarray(start));
  return lines;
}

/** Cuts a stream the same way every time for the same input: whole, into pieces, or into crumbs. */
export function cutterFor(input: Buffer): (bytes: Buffer) => Iterable<Buffer> {
  const random = new Random(hash(input.toString('latin1')), 'cut');
  const most = random.pick([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 65_536, 4096, 700, 60]);
  return function* cut(bytes) {
    for (let at = 0; at < bytes.length; ) {
      const size = most === Number.POSITIVE_INFINITY ? bytes.length : 1 + random.below(most);
      yield bytes.subarray(at, at + size);
      at += size;
    }
  };
}
