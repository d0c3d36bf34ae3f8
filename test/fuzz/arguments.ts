import { parseArgs } from 'node:util';

export const HELP = `Usage: npm run fuzz -- [options]

Feeds the parsers, the codecs and the whole server with malformed input, and holds every answer against an oracle of its
own. The same seed makes the same inputs. Inputs that once failed are kept in test/fuzz/corpus and sent first in every run.

  --minutes N     How long to go on, all targets together (default: 2)
  --runs N        Feed every target this many inputs, however long it takes
  --only LIST     Only these targets: names or beginnings of names, with commas between them
  --seed N        A number from an earlier run, to have its inputs again (default: a random one, which is printed)
  --from N        Start with this input of the seed (default: 0)
  --replay FILE   Send this one input to the target named with --only
  --quick         About twenty seconds: seed 1, and a random one
  --list          Show the targets
  --help          Show this

When something is wrong the input is made as small as it gets, written to the corpus, and the command that sends it again
is printed. Exit codes: 0 nothing was found, 1 something was, 2 the options are wrong.

Examples:
  npm run fuzz -- --only talk --minutes 10
  npm run fuzz -- --only http-raw --seed 7 --runs 1000`;

export interface FuzzOptions {
  readonly seeds: readonly number[];
  /** For one seed, all targets together. */
  readonly seconds: number;
  readonly runs: number | undefined;
  readonly only: readonly string[];
  readonly from: number;
  readonly replay: string | undefined;
  readonly show: 'help' | 'list' | undefined;
}

const QUICK_SECONDS = 5;

/** Reads the options; throws `TypeError` for what cannot be meant. */
export function readOptions(args: readonly string[]): FuzzOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '2' },
      runs: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      seed: { type: 'string' },
      from: { type: 'string', default: '0' },
      replay: { type: 'string' },
      quick: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const fresh = Math.floor(Math.random() * 2 ** 31);
  const seed = values.seed === undefined ? fresh : whole('seed', values.seed);
  return {
    seeds: values.quick && values.seed === undefined ? [1, fresh] : [seed],
    seconds: values.quick ? QUICK_SECONDS : positive('minutes', values.minutes) * 60,
    runs: values.runs === undefined ? undefined : whole('runs', values.runs),
    only: values.only.flatMap((list) => list.split(',')).filter((name) => name !== ''),
    from: whole('from', values.from),
    replay: values.replay,
    show: values.help ? 'help' : values.list ? 'list' : undefined,
  };
}

function whole(name: string, text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new TypeError(`Cannot use --${name} ${text}: give a whole number`);
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (number > 0 && Number.isFinite(number)) return number;
  throw new TypeError(`Cannot use --${name} ${text}: give a number above 0`);
}
