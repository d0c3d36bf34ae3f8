import { parseArgs } from 'node:util';
import { hasRedis } from './engine.ts';
import { REPLICA_FAULTS, type ReplicaFault } from './faults.ts';
import { countRoundTrips } from './round-trips.ts';
import { lay, type Siege, type SiegeOptions } from './siege.ts';

// `npm run chaos -- --replicas 3`: what several replicas promise together, while one thing after the other goes wrong.

const HELP = `Usage: npm run chaos -- --replicas N [options]

Starts a Redis and N servers on it, lets clients of every revision go from one to the other, and holds the history of
all they heard against what is promised: exactly one answer to every request, in order, to nobody else, nothing run
twice, no session lost.

  --clients N     How many clients (default: 200)
  --runs N        How often each fault happens (default: 5)
  --minutes N     Go on with each fault for so long, however often it happens
  --only NAME,…   Only faults whose names hold one of these words
  --rest MS       The longest rest of a client between two deeds (default: 4 ms for each client)
  --seed N        Have other things happen (default: 1)
  --history FILE  Write down everything that happened, one JSON object a line
  --logs          Show what the servers wrote to their logs
  --short         30 clients, three faults, once each
  --list          Name the faults
`;
const SHORT = ['kill-replica', 'kill-redis', 'cut-off-one'];
const SHORT_CLIENTS = 30;
const REST_PER_CLIENT_MS = 4;
const MOST_TRIPS = 2;
const MOST_PROBLEMS = 12;
const ROOM = 15;
const MINUTE_MS = 60_000;

const column = (text: string | number, width = 9): string => String(text).padStart(width);

/** The value that this share of all does not exceed. */
function percentile(values: readonly number[], share: number): string {
  if (values.length === 0) return '–';
  const sorted = [...values].sort((one, other) => one - other);
  return String(Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number));
}

const HEADS = ['runs', 'requests', 'lost', 'doubled', 'crossed', 'disorder', 'sessions', 'resume p50', 'p99', 'max'];
const WIDTHS = [5, 9, 6, 8, 8, 9, 9, 11, 7, 7];

function showHead(): void {
  console.log(`${'fault'.padEnd(ROOM)}${HEADS.map((head, at) => column(head, WIDTHS[at])).join('')}`);
}

function show({ name }: ReplicaFault, siege: Siege): void {
  const { verdict, tally, runs, problems } = siege;
  const { requests, lost, resumeMs, refusedMs, statelessMs, calmMs } = verdict;
  const cells = [runs, requests, lost, verdict.doubled + verdict.startedTwice, tally.crossed];
  const order = [verdict.disordered + tally.disordered, verdict.sessionsLost];
  const times = [percentile(resumeMs, 0.5), percentile(resumeMs, 0.99), percentile(resumeMs, 1)];
  const row = [...cells, ...order, ...times].map((cell, at) => column(cell, WIDTHS[at])).join('');
  console.log(`${name.padEnd(ROOM)}${row}${problems.length > 0 ? '  BROKEN' : '  holds'}`);
  const facts = [
    `${verdict.gone} calls told their replica is gone`,
    `${verdict.cut} cut off with their connection`,
    `${verdict.refused} refused in ${percentile(refusedMs, 0.5)}/${percentile(refusedMs, 0.99)} ms`,
    `${verdict.gaps} gaps told`,
    `stateless p99 ${percentile(statelessMs, 0.99)} ms, otherwise ${percentile(calmMs, 0.99)} ms`,
  ];
  console.log(`    ${facts.join('; ')}`);
  for (const problem of problems.slice(0, MOST_PROBLEMS))
    console.log(`    ${problem.split('\n').slice(0, 4).join('\n    ')}`);
  if (problems.length > MOST_PROBLEMS) console.log(`    and ${problems.length - MOST_PROBLEMS} more`);
}

async function showRoundTrips(): Promise<boolean> {
  const { session, stateless } = await countRoundTrips();
  const holds = session <= MOST_TRIPS && stateless === 0;
  const said = `a call in a session takes ${session} commands of Redis, one that speaks for itself ${stateless}`;
  console.log(`${'round-trips'.padEnd(ROOM)}${said}  ${holds ? 'holds' : 'BROKEN'}`);
  return holds;
}

function read(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      replicas: { type: 'string', default: '3' },
      clients: { type: 'string' },
      runs: { type: 'string' },
      minutes: { type: 'string' },
      only: { type: 'string' },
      rest: { type: 'string' },
      seed: { type: 'string', default: '1' },
      history: { type: 'string' },
      logs: { type: 'boolean', default: false },
      short: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return values;
}

type Wishes = ReturnType<typeof read>;

function chosenOf({ only, short }: Wishes): readonly ReplicaFault[] {
  const words = only?.split(',');
  const wanted = ({ name }: ReplicaFault): boolean =>
    words === undefined ? !short || SHORT.includes(name) : words.some((word) => name.includes(word));
  const chosen = REPLICA_FAULTS.filter(wanted);
  if (chosen.length === 0 && only !== 'round-trips') throw new Error(`No fault is called ${only}: see --list`);
  return chosen;
}

function optionsOf({ replicas, clients, short, seed, rest, history }: Wishes): SiegeOptions {
  const crowd = Number(clients ?? (short ? SHORT_CLIENTS : 200));
  return {
    replicas: Number(replicas),
    clients: crowd,
    seed: Number(seed),
    restMs: Number(rest ?? Math.max(100, crowd * REST_PER_CLIENT_MS)),
    historyFile: history,
  };
}

/** Runs the faults that are wished for; the exit code. */
export async function runReplicas(args: readonly string[]): Promise<number> {
  const wishes = read(args);
  if (wishes.help) console.log(HELP);
  if (wishes.list) for (const { name, says } of REPLICA_FAULTS) console.log(`${name.padEnd(ROOM)} ${says}`);
  if (wishes.help || wishes.list) return 0;
  if (!hasRedis()) {
    console.log('  Not run: redis-server is not installed');
    return 0;
  }
  showHead();
  let failed = 0;
  let passed = 0;
  for (const holds of judgements(wishes)) {
    if (await holds()) passed += 1;
    else failed += 1;
  }
  console.log(`  ${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** Everything that is to be tried; each says whether it holds. */
function judgements(wishes: Wishes): (() => Promise<boolean>)[] {
  const trips = wishes.only === undefined || wishes.only === 'round-trips' ? [showRoundTrips] : [];
  return [...chosenOf(wishes).map((fault) => () => inflict(fault, wishes)), ...trips];
}

async function inflict(fault: ReplicaFault, wishes: Wishes): Promise<boolean> {
  const { minutes, short, logs } = wishes;
  const runs = Number(wishes.runs ?? (short ? 1 : 5));
  const until = minutes === undefined ? undefined : performance.now() + Number(minutes) * MINUTE_MS;
  const more = (done: number): boolean => (until === undefined ? done < runs : performance.now() < until);
  const siege = await lay(fault, optionsOf(wishes), more);
  show(fault, siege);
  if (logs) console.log(siege.logs.join('\n----\n'));
  return siege.problems.length === 0;
}
