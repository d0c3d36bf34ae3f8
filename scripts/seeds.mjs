// `npm run seeds`: plays the transcripts of every seed against its preset and prints a table: seed, rules, passed.
// `npm run seeds -- 001` plays some of them; `--rewrite` writes what the server says into the transcripts.

import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { isMain, ROOT } from './run.mjs';

/** Runs the test files of a seed; a failure breaks the rules the test names, or else all the file cites. */
async function judgeTests(seed, { playTests }, broken) {
  for (const { path, cites } of seed.tests) {
    const cited = cites.flatMap(({ covers }) => covers);
    for (const failed of await playTests(seed, path)) {
      const named = cited.filter((rule) => failed.split(/[ ,:]+/).includes(rule));
      for (const rule of named.length === 0 ? cited : named) broken.add(rule);
      console.log(`fails: ${basename(path)}: ${failed}\n`);
    }
  }
}

/** Plays a seed and sums up which rules hold. A rule holds when every transcript and test that covers it does. */
async function judge(seed, { playSeed, looseEnds, ...tests }, rewrite) {
  const { uncovered, unknown } = looseEnds(seed);
  const broken = new Set(unknown);
  await judgeTests(seed, tests, broken);
  let played = seed.tests.flatMap(({ cites }) => cites).length;
  for (const { path, transcript } of seed.transcripts) {
    for (const way of transcript.over) {
      played++;
      const differences = await playSeed(seed, path, { way, rewrite }).catch((error) => [error.message]);
      if (differences.length === 0) continue;
      for (const rule of transcript.covers) broken.add(rule);
      console.log(`${rewrite ? 'rewritten' : 'differs'}: ${basename(path)} over ${way}\n${differences.join('\n')}\n`);
    }
  }
  const rules = Object.keys(seed.rules);
  const loose = new Set(uncovered.map((entry) => entry.split(' ')[0]));
  const passed = rules.filter((rule) => !broken.has(rule) && !loose.has(rule));
  return { name: seed.name, rules: rules.length, passed: passed.length, played, uncovered };
}

function printTable(rows) {
  const line = (...cells) =>
    console.log(
      `  ${cells[0].padEnd(20)} ${cells
        .slice(1)
        .map((cell) => String(cell).padStart(8))
        .join(' ')}`,
    );
  line('seed', 'rules', 'passed', 'played');
  for (const { name, rules, passed, played } of rows) line(name, rules, passed, played);
  for (const { name, uncovered } of rows) {
    if (uncovered.length > 0) console.log(`  ${name}: nothing covers ${uncovered.join(', ')}`);
  }
}

async function main() {
  const { values, positionals } = parseArgs({
    options: { rewrite: { type: 'boolean', default: false }, built: { type: 'string', default: 'dist' } },
    allowPositionals: true,
  });
  const module = join(ROOT, values.built, 'test', 'transcripts', 'seeds.js');
  if (!existsSync(module)) throw new Error(`${values.built} is not built: npm run build`);
  const transcripts = await import(pathToFileURL(module).href);
  const seeds = transcripts
    .readSeeds()
    .filter(({ name }) => positionals.length === 0 || positionals.some((wanted) => name.startsWith(wanted)));
  const rows = [];
  for (const seed of seeds) rows.push(await judge(seed, transcripts, values.rewrite));
  printTable(rows);
  process.exitCode = rows.length > 0 && rows.every(({ rules, passed }) => rules === passed) ? 0 : 1;
}

if (isMain(import.meta.url)) {
  try {
    await main();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 2;
  }
}
