import { parseArgs } from 'node:util';
import { crowds } from './crowds.ts';
import { kills } from './kills.ts';
import { addTallies, emptyTally, type Tally } from './load/tally.ts';
import { loudTools } from './loud-tools.ts';
import { runReplicas } from './replicas/run.ts';
import { MIB, type Scenario, Skipped, Trial } from './scenario.ts';
import { slowPeers } from './slow-peers.ts';
import { surroundings } from './surroundings.ts';
import { unrulyTools } from './unruly-tools.ts';

// `npm run chaos`: every fault by name, and whether the promises hold while it lasts and after.

const SCENARIOS: readonly Scenario[] = [
  ...unrulyTools,
  ...loudTools,
  ...slowPeers,
  ...kills,
  ...surroundings,
  ...crowds,
];
const HELP = `Usage: npm run chaos -- [--short] [--list] [--only NAME[,NAME…]] [--runs N] [--seed N]
       npm run chaos -- --replicas N [--help]`;
const ROOM = 26;
const SHORT_WIDTH = 4;

interface Row {
  readonly runs: number;
  readonly tally: Tally;
  readonly peak: number;
  readonly recoverMs: number;
  readonly problems: readonly string[];
  readonly notes: readonly string[];
  readonly skipped?: string;
}

async function repeat(
  scenario: Scenario,
  { runs, full, seed }: { runs: number; full: boolean; seed: number },
): Promise<Row> {
  const problems: string[] = [];
  let notes: readonly string[] = [];
  let tally = emptyTally();
  let peak = 0;
  let recoverMs = 0;
  for (let at = 0; at < runs; at += 1) {
    const trial = new Trial({ full, seed: seed + at });
    try {
      await scenario.run(trial);
    } catch (error) {
      if (error instanceof Skipped) return { runs: 0, tally, peak, recoverMs, problems, notes, skipped: error.message };
      trial.problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    } finally {
      await trial.end();
    }
    problems.push(...trial.problems.map((problem) => `run ${at + 1}: ${problem}`));
    tally = addTallies([tally, trial.tally]);
    peak = Math.max(peak, trial.peak);
    recoverMs = Math.max(recoverMs, trial.recoverMs);
    notes = trial.notes;
  }
  return { runs, tally, peak, recoverMs, problems, notes };
}

const column = (text: string | number, width = 8): string => String(text).padStart(width);

function show(name: string, { runs, tally, peak, recoverMs, skipped, notes, problems }: Row): void {
  if (skipped !== undefined) {
    console.log(`${name.padEnd(ROOM)} skipped: ${skipped}`);
    return;
  }
  const { sent, lost, doubled, malformed, wrong, crossed, disordered } = tally;
  const cells = [column(runs, 5), column(sent), column(lost, 6), column(doubled, 8)];
  cells.push(column(malformed + wrong + crossed + disordered, 6), column(`${Math.round(peak / MIB)} MiB`, 9));
  cells.push(column(`${Math.round(recoverMs)} ms`, 10), problems.length === 0 ? '  holds' : '  BROKEN');
  console.log(`${name.padEnd(ROOM)}${cells.join('')}${notes.length === 0 ? '' : `  (${notes.join('; ')})`}`);
  for (const problem of problems.slice(0, 6)) console.log(`    ${problem.split('\n').slice(0, 6).join('\n    ')}`);
}

interface Wishes {
  readonly full: boolean;
  readonly runs: number | undefined;
  readonly seed: number;
}

/** Runs scenarios, and says whether all of them hold. */
async function runAll(chosen: readonly Scenario[], { full, runs, seed }: Wishes): Promise<boolean> {
  const head = [column('runs', 5), column('sent'), column('lost', 6), column('doubled'), column('wrong', 6)];
  console.log(`${'fault'.padEnd(ROOM)}${head.join('')}${column('peak', 9)}${column('recovered', 10)}`);
  let failed = 0;
  let passed = 0;
  const waiting = [...chosen];
  const work = async (): Promise<void> => {
    for (let scenario = waiting.shift(); scenario !== undefined; scenario = waiting.shift()) {
      const row = await repeat(scenario, { runs: runs ?? scenario.runs[full ? 'full' : 'short'], full, seed });
      show(scenario.name, row);
      if (row.problems.length > 0) failed += 1;
      else if (row.skipped === undefined) passed += 1;
    }
  };
  // Short runs mostly wait; those of full size are measured, one by one.
  await Promise.all(Array.from({ length: full ? 1 : SHORT_WIDTH }, work));
  console.log(`  ${passed} passed, ${failed} failed`);
  return failed === 0;
}

async function main(): Promise<number> {
  const args = process.argv.slice(2);
  if (args.some((arg) => /^--replicas(=|$)/.test(arg))) return runReplicas(args);
  const { values } = parseArgs({
    options: {
      short: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      runs: { type: 'string' },
      seed: { type: 'string', default: '1' },
    },
  });
  if (values.help) console.log(HELP);
  if (values.list) for (const { name, says } of SCENARIOS) console.log(`${name.padEnd(ROOM)} ${says}`);
  if (values.list || values.help) return 0;
  const only = values.only.split(',');
  const chosen = SCENARIOS.filter(({ name }) => only.some((part) => name.includes(part)));
  if (chosen.length === 0) throw new Error(`No fault is called ${values.only}: see --list`);
  const runs = values.runs === undefined ? undefined : Number(values.runs);
  return (await runAll(chosen, { full: !values.short, runs, seed: Number(values.seed) })) ? 0 : 1;
}

// Peers that are still silent would keep the process.
process.exit(await main());
