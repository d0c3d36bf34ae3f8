import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PARLEY = fileURLToPath(new URL('../../../src/cli/parley.js', import.meta.url));

/** The command itself, serving, and everything it said on stderr. */
export interface Served {
  readonly port: number;
  /** The lines since it said where it serves. */
  lines(): string[];
  /** Waits for a line that holds this. */
  said(part: string): Promise<string>;
  end(): void;
}

/** Starts `parley serve` on a free port. */
export async function serveCommand(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Served> {
  const child: ChildProcess = spawn(process.execPath, [PARLEY, 'serve', '--port', '0', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  let text = '';
  const wakes: (() => void)[] = [];
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    for (const wake of wakes.splice(0)) wake();
  });
  const heard = (found: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (found()) resolve();
        else wakes.push(look);
      };
      child.once('exit', () => reject(new Error(`The command ended: ${text}`)));
      look();
    });
  const SERVING = /^Serving at \S+:(\d+)\/mcp$/m;
  await heard(() => SERVING.test(text));
  const lines = (): string[] => text.split('\n').slice(0, -1);
  return {
    port: Number(SERVING.exec(text)?.[1]),
    lines,
    async said(part) {
      await heard(() => lines().some((line) => line.includes(part)));
      return lines().find((line) => line.includes(part)) as string;
    },
    end: () => void child.kill('SIGKILL'),
  };
}
