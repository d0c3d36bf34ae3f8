import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { actOf } from '../chaos/load/acts.ts';
import { MARK, randomFrom } from '../chaos/load/secret.ts';
import { ServerProcess } from '../chaos/load/server-process.ts';
import { SessionTalker } from '../chaos/load/session-talker.ts';
import type { Talker } from '../chaos/load/talker.ts';
import { addTallies, BLEMISHES, isClean } from '../chaos/load/tally.ts';
import { httpClients, makeTokens, pipeClients, type Tokens } from './population.ts';
import { type Snooped, snoop } from './snooping.ts';

// `npm run cross-talk`: many clients with secrets in everything they send; no byte of one may reach another.

const PRINCIPALS = 24;
// Tasks are kept for a while, and only so many of those who have no token.
const LIMITS = { taskTtlMs: 3000, taskDefaultTtlMs: 3000 };

async function work(talkers: readonly Talker[], requests: number, seed: number): Promise<number> {
  const sent = (): number => talkers.reduce((sum, { ledger }) => sum + ledger.tally.sent, 0);
  let acts = 0;
  await Promise.all(
    talkers.map(async (talker, at) => {
      const random = randomFrom(seed + at);
      while (sent() < requests) {
        await actOf(talker, random)(talker, random);
        acts += 1;
      }
    }),
  );
  return acts;
}

interface Servers {
  readonly open: ServerProcess;
  readonly guarded: ServerProcess;
  readonly tokens: Tokens;
  /** Everything the servers logged so far. */
  logs(): string[];
  end(): void;
}

/** One server for everybody and one for those with tokens, both with the most talkative log. */
async function startServers(): Promise<Servers> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-cross-talk-'));
  const tokens = makeTokens(PRINCIPALS);
  const logTo = (name: string): string[] => ['--log-level', 'debug', '--log-file', join(folder, name)];
  const open = await ServerProcess.start({ limits: LIMITS, args: logTo('open') });
  const guarded = await ServerProcess.start({ limits: LIMITS, args: [...tokens.args, ...logTo('guarded')] });
  return {
    open,
    guarded,
    tokens,
    logs: () => [read(join(folder, 'open')), read(join(folder, 'guarded')), open.log, guarded.log],
    end() {
      for (const { child } of [open, guarded]) child.kill('SIGKILL');
      tokens.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function report(talkers: readonly Talker[], logs: readonly string[], snooped: Snooped): boolean {
  const tally = addTallies(talkers.map(({ ledger }) => ledger.tally));
  const leaks = logs.flatMap((text) => text.split('\n').filter((line) => line.includes(MARK)));
  console.log(`requests ${tally.sent}, answered ${tally.answered}, called off ${tally.excused}`);
  console.log(BLEMISHES.map((blemish) => `${blemish} ${tally[blemish]}`).join(', '));
  console.log(`lines of the logs with a secret ${leaks.length}`);
  console.log(`sessions of others asked for ${snooped.asked} times, got ${snooped.got}`);
  const remarks = [...talkers.flatMap(({ ledger }) => ledger.remarks), ...leaks.map((line) => `logged: ${line}`)];
  const worst = remarks.filter((remark) => remark.includes(' crossed: '));
  for (const remark of new Set([...worst, ...remarks].slice(0, 20))) console.log(`  ${remark.slice(0, 300)}`);
  return isClean(tally) && leaks.length === 0 && snooped.got === 0;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '120000' },
      clients: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
    },
  });
  const count = Number(values.clients);
  const servers = await startServers();
  const { open, guarded, tokens } = servers;
  const pipes = pipeClients(Math.max(3, Math.round(count / 25)), { env: { PARLEY_LOG_LEVEL: 'debug' } });
  const places = { open: open.url, guarded: { url: guarded.url, tokens: tokens.tokens } };
  const talkers = [...httpClients(count - pipes.length, places), ...pipes];
  const from = performance.now();
  try {
    await Promise.all(talkers.map((talker) => talker.open()));
    for (const talker of talkers) if (talker instanceof SessionTalker) talker.listen();
    const acts = await work(talkers, Number(values.requests), Number(values.seed));
    const snooped = await snoop(talkers, guarded.url, tokens.tokens);
    await Promise.all(talkers.map((talker) => talker.close()));
    const seconds = ((performance.now() - from) / 1000).toFixed(1);
    console.log(`${talkers.length} clients, ${PRINCIPALS} principals, ${acts} acts in ${seconds} s`);
    const fine = report(talkers, [...servers.logs(), ...pipes.map(({ log }) => log)], snooped);
    console.log(`  ${fine ? 1 : 0} passed, ${fine ? 0 : 1} failed`);
    return fine ? 0 : 1;
  } finally {
    servers.end();
    for (const { child } of pipes) child.kill('SIGTERM');
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

process.exit(await main());
