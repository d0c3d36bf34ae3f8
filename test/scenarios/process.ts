import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Peer } from './peer.ts';
import type { RevisionId } from './revisions.ts';

const BUILT = fileURLToPath(new URL('../..', import.meta.url));

export interface Running {
  readonly peer: Peer;
  readonly child: ChildProcess;
  /** Resolves to how the process ended. */
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Everything it wrote to stderr. */
  readonly errors: string[];
}

/** Starts the built command with a module behind it, and a peer in front. */
export function run(revision: RevisionId, options: { capabilities?: object; args?: readonly string[] } = {}): Running {
  const cli = join(BUILT, 'src', 'cli', 'parley.js');
  const module = join(BUILT, 'test', 'scenarios', 'fixtures', 'everything.js');
  const child = spawn(process.execPath, [cli, 'stdio', ...(options.args ?? ['--module', module])], {
    stdio: 'pipe',
    env: { ...process.env, PARLEY_LOG_LEVEL: 'debug' },
  });
  const errors: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  child.stdin.on('error', () => {});
  const exit = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  const wire = { input: child.stdin, output: child.stdout, closed: exit };
  return {
    peer: new Peer(revision, wire, { capabilities: (options.capabilities ?? {}) as never }),
    child,
    exit,
    errors,
  };
}
