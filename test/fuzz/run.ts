import { readFileSync } from 'node:fs';
import { type FuzzOptions, HELP, readOptions } from './arguments.ts';
import { campaign, type Report, replayOne } from './campaign.ts';
import { Loose } from './loose.ts';
import type { Target } from './target.ts';
import { TARGETS } from './targets/targets.ts';
import { Watchdog } from './watchdog.ts';

/** Fails a run at once when something goes wrong that nobody waits for. */
const loose = new Loose();

function chosen({ only }: FuzzOptions): readonly Target[] {
  if (only.length === 0) return TARGETS;
  for (const name of only) {
    if (!TARGETS.some((target) => target.name.startsWith(name))) {
      throw new TypeError(
        `No target is called "${name}". There are: ${TARGETS.map((target) => target.name).join(', ')}`,
      );
    }
  }
  return TARGETS.filter(({ name }) => only.some((start) => name.startsWith(start)));
}

async function replay(targets: readonly Target[], path: string): Promise<number> {
  const [target] = targets;
  if (target === undefined || targets.length > 1) throw new TypeError('Cannot replay: name one target with --only');
  try {
    await replayOne(target, readFileSync(path));
  } catch (error) {
    console.log(`${target.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return 1;
  }
  console.log(`${target.name}: nothing is wrong with ${path}`);
  return 0;
}

async function attack(targets: readonly Target[], options: FuzzOptions, seed: number): Promise<Report[]> {
  const whole = targets.reduce((sum, { weight = 1 }) => sum + weight, 0);
  const watchdog = new Watchdog();
  const reports: Report[] = [];
  process.stdout.write(`seed ${seed}\n`);
  for (const target of targets) {
    const report = await campaign(target, {
      seed,
      replays: seed === options.seeds[0],
      from: options.from,
      runs: options.runs,
      seconds: (options.seconds * (target.weight ?? 1)) / whole,
      watchdog,
      loose,
      progress: (inputs) => process.stderr.write(process.stderr.isTTY ? `\r  ${target.name} ${inputs} \x1b[K` : ''),
    });
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
    console.log(lineOf(report));
    reports.push(report);
  }
  await watchdog.stop();
  return reports;
}

function lineOf({ target, inputs, replayed, seconds, slope, tally, found }: Report): string {
  const count = tally?.lines ?? inputs;
  const rate = Math.round(count / Math.max(seconds, 0.001));
  const whole =
    tally === undefined
      ? ''
      : `, ${tally.malformed} malformed, ${tally.answers} answers, ${tally.good} good ones between`;
  const heap = slope === undefined ? '' : `, heap ${slope.toFixed(2)} B/input`;
  const kept = replayed === 0 ? '' : `, ${replayed} from the corpus`;
  const line = `${target.padEnd(18)} ${String(count).padStart(8)} inputs, ${rate}/s${heap}${whole}${kept}`;
  return found === undefined ? `  ✔ ${line}` : `  ✖ ${line}\n    ${found}`;
}

function sum(reports: readonly Report[]): void {
  const total = (count: (report: Report) => number): number => reports.reduce((all, report) => all + count(report), 0);
  const lines = total(({ tally }) => tally?.lines ?? 0);
  const malformed = total(({ tally }) => tally?.malformed ?? 0);
  const answers = total(({ tally }) => tally?.answers ?? 0);
  const inputs = total(({ inputs: own, tally }) => tally?.lines ?? own);
  console.log(`  ${inputs} inputs; to a whole server ${lines}, of which ${malformed} malformed, ${answers} answers`);
  const failed = reports.filter(({ found }) => found !== undefined).length;
  console.log(`  ${reports.length - failed} passed, ${failed} failed`);
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options.show === 'help') {
    console.log(HELP);
    return 0;
  }
  const targets = chosen(options);
  if (options.show === 'list') {
    for (const { name, says } of targets) console.log(`${name.padEnd(18)} ${says}`);
    return 0;
  }
  if (options.replay !== undefined) return replay(targets, options.replay);
  const reports: Report[] = [];
  for (const seed of options.seeds) reports.push(...(await attack(targets, options, seed)));
  sum(reports);
  return reports.some(({ found }) => found !== undefined) ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  const misused = error instanceof TypeError;
  console.error(misused ? `${error.message}\nSee: npm run fuzz -- --help` : error);
  process.exitCode = misused ? 2 : 1;
}
