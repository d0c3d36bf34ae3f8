import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BUILT = fileURLToPath(new URL('../..', import.meta.url));
const PATIENCE_MS = 20_000;

export interface Served {
  readonly port: number;
  readonly pid: number;
  /** Ends it without a goodbye. */
  kill(): Promise<void>;
  /** Tells it to end, and answers its exit code. */
  end(): Promise<number | null>;
}

/** A folder of its own, with the tokens of two principals in it. */
export interface Ground {
  readonly folder: string;
  readonly tokens: { readonly alice: string; readonly bob: string };
  readonly tokensFile: string;
  file(name: string): string;
  clear(): void;
}

export function layGround(): Ground {
  const folder = mkdtempSync(join(tmpdir(), 'parley-replicas-'));
  const tokens = { alice: 'token-of-alice-0123456789abcdef', bob: 'token-of-bob-0123456789abcdef00' };
  const tokensFile = join(folder, 'tokens.json');
  const entries = Object.entries(tokens).map(([id, token]) => ({
    id,
    sha256: createHash('sha256').update(token).digest('hex'),
    scopes: [],
  }));
  writeFileSync(tokensFile, JSON.stringify({ tokens: entries }), { mode: 0o600 });
  return {
    folder,
    tokens,
    tokensFile,
    file: (name) => join(folder, name),
    clear: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Starts `parley serve` on a store; resolves when clients can connect. */
export async function serveProcess(store: string, args: readonly string[] = []): Promise<Served> {
  const cli = join(BUILT, 'src', 'cli', 'parley.js');
  const module = join(BUILT, 'test', 'replicas', 'module.js');
  const own = ['--store', store, '--module', module, '--log-level', 'warn', ...args];
  const child = spawn(process.execPath, [cli, 'serve', '--port', '0', ...own], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PARLEY_SECRET: 'known to every process of this test' },
  });
  const port = await portOf(child);
  const gone = once(child, 'exit');
  const over = (): boolean => child.exitCode !== null || child.signalCode !== null;
  return {
    port,
    pid: child.pid ?? 0,
    async kill() {
      if (over()) return;
      child.kill('SIGKILL');
      await gone;
    },
    async end() {
      if (!over()) child.kill('SIGTERM');
      if (!over()) await gone;
      return child.exitCode;
    },
  };
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new Error(`It never served: ${said}`)), PATIENCE_MS);
    const hear = (chunk: string): void => {
      said += chunk;
      const port = /Serving at http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(Number(port));
    };
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', hear);
    child.on('exit', (code) => reject(new Error(`It ended with ${code}: ${said}`)));
  });
}
