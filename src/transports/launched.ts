import fs from 'node:fs';
import net from 'node:net';
import type { Writable } from 'node:stream';
import tty from 'node:tty';
import { takeMovedStdout } from './moved-stdout.ts';

// The child's side of the launcher. It is loaded at every start, so it loads nothing that only the parent needs.

/** Tells a child which descriptor carries the protocol. */
export const PROTOCOL_VARIABLE = 'PARLEY_PROTOCOL_FD';
export const PROTOCOL_FD = 3;
const LIFELINE_FD = 4;

let adopted = false;

/** Whether this process is the child of a launcher and has not taken its stream yet. */
export function isLaunched(): boolean {
  return process.env[PROTOCOL_VARIABLE] === String(PROTOCOL_FD) && kindOf(PROTOCOL_FD) !== undefined;
}

/**
 * In a launched child, or where stdout was moved, the one stream that reaches the peer; `undefined` elsewhere, and for
 * every call but the first.
 */
export function protocolOutput(): Writable | undefined {
  const moved = takeMovedStdout();
  if (moved !== undefined) return pipeTo(moved);
  const kind = isLaunched() ? kindOf(PROTOCOL_FD) : undefined;
  delete process.env[PROTOCOL_VARIABLE];
  if (kind === undefined) return undefined;
  adopted = true;
  if (kind === 'terminal') return new tty.WriteStream(PROTOCOL_FD);
  if (kind === 'pipe') return pipeTo(PROTOCOL_FD);
  return fs.createWriteStream('', { fd: PROTOCOL_FD, autoClose: false });
}

function pipeTo(descriptor: number): Writable {
  return new net.Socket({ fd: descriptor, readable: false, writable: true });
}

/** What a descriptor can be written to as; nothing when it is closed or one the engine uses for itself. */
function kindOf(descriptor: number): 'terminal' | 'pipe' | 'file' | undefined {
  if (tty.isatty(descriptor)) return 'terminal';
  try {
    const stats = fs.fstatSync(descriptor);
    if (stats.isFIFO() || stats.isSocket()) return 'pipe';
    return stats.isFile() || stats.isCharacterDevice() ? 'file' : undefined;
  } catch {
    return undefined;
  }
}

/** After `protocolOutput` gave a stream: calls back once when the launcher is gone. Keeps no process alive. */
export function onLauncherGone(listener: () => void): void {
  if (!adopted || kindOf(LIFELINE_FD) !== 'pipe') return;
  const lifeline = new net.Socket({ fd: LIFELINE_FD, readable: true, writable: false });
  lifeline.once('close', listener);
  lifeline.on('error', () => {});
  lifeline.unref();
  lifeline.resume();
}
