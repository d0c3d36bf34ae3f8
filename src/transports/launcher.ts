import { spawn } from 'node:child_process';
import os from 'node:os';
import tty from 'node:tty';
import { PROTOCOL_FD, PROTOCOL_VARIABLE } from './launched.ts';

// The full guarantee that stdout holds the protocol alone: the program runs in a child whose fd 1 is stderr, and the
// real stdout is a descriptor that only the transport knows. Nothing the child runs or starts can print to the peer.

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface LaunchOptions {
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs the program `argv` (script first) in a guarded child and resolves to the exit code to mirror. */
export function launchGuarded(argv: readonly string[], { env = process.env }: LaunchOptions = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, ...argv], {
      // The fifth is never written to: the child sees it close when this process dies, however it dies.
      stdio: [0, 2, 2, 1, 'pipe'],
      env: { ...env, [PROTOCOL_VARIABLE]: String(PROTOCOL_FD) },
    });
    const forward = (signal: NodeJS.Signals) => {
      if (!reachesChildAlready(signal)) child.kill(signal);
    };
    for (const signal of FORWARDED) process.on(signal, forward);
    // The listeners stay: a signal that comes while this process ends must not change how it ends.
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : os.constants.signals[signal]));
    });
  });
}

/** A terminal sends these to the whole foreground group, and a second one means "at once". */
function reachesChildAlready(signal: NodeJS.Signals): boolean {
  return signal !== 'SIGTERM' && tty.isatty(0);
}
