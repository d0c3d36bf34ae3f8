import { openHttp } from './http-peer.ts';
import { fill, type Known, matches, merge } from './match.ts';
import type { PeerOptions } from './peer.ts';
import { openStdio } from './stdio-peer.ts';
import type { Transcript, Turn, Way } from './transcript.ts';

export interface Played {
  /** Where the server said something else, in words; none when all is as expected. */
  readonly differences: readonly string[];
  /** The turns with what the server really said, placeholders kept. */
  readonly turns: readonly Turn[];
}

const LONGEST_TURN_MS = 10_000;

/** Plays a transcript one way. */
export async function play(
  transcript: Transcript,
  way: Way,
  { known, ...options }: PeerOptions & { known: Known },
): Promise<Played> {
  const { session } = transcript;
  const peer = way === 'stdio' ? openStdio(options) : await openHttp({ ...options, session });
  const differences: string[] = [];
  const turns: Turn[] = [];
  try {
    for (const turn of transcript.turns) {
      const says = turn.says.map((line) => fill(line, known));
      const heard = await within(LONGEST_TURN_MS, peer.take({ ...turn, says }), says[0] ?? '');
      differences.push(...differ(turn, heard, known));
      turns.push({ ...turn, hears: heard.map((line, index) => mergeEvent(turn.hears[index], line, known)) });
    }
  } finally {
    await peer.close();
  }
  return { differences, turns };
}

function differ({ says, hears }: Turn, heard: readonly string[], known: Known): string[] {
  const length = Math.max(hears.length, heard.length);
  return Array.from({ length }, (_, index) => index)
    .filter((index) => !sameLine(hears[index], heard[index], known))
    .map(
      (index) =>
        `> ${says.join('\n> ')}\nexpected < ${hears[index] ?? '(nothing)'}\nsaid     < ${heard[index] ?? '(nothing)'}`,
    );
}

const EVENT = /^(event \S+) (.*)$/s;

function sameLine(expected: string | undefined, actual: string | undefined, known: Known): boolean {
  if (expected === undefined || actual === undefined) return false;
  const [one, other] = [EVENT.exec(expected), EVENT.exec(actual)];
  if (one === null || other === null) return matches(expected, actual, known);
  return one[1] === other[1] && matches(one[2] ?? '', other[2] ?? '', known);
}

function mergeEvent(expected: string | undefined, actual: string, known: Known): string {
  const [one, other] = [EVENT.exec(expected ?? ''), EVENT.exec(actual)];
  return one === null || other === null
    ? merge(expected, actual, known)
    : `${other[1]} ${merge(one[2], other[2] ?? '', known)}`;
}

async function within<T>(ms: number, work: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The server did not answer within ${ms} ms: ${what}`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
