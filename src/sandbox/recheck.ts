import { constants, lstatSync, realpathSync } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { PathError } from './path-trouble.ts';
import type { Wanted } from './walk.ts';

// For systems without /proc. What was opened is compared with what stands at the real path, before and after, again
// and again: to pass, a swap would have to fall between the two parts of every look. The looks are synchronous, so
// that little fits between their parts, and not evenly spaced, so that no rhythm of swaps falls in step with them.

const LOOKS = 24;
const LONGEST_PAUSE_MS = 0.05;
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;

export interface Rechecked {
  readonly handle: FileHandle;
  /** Where it really stands. */
  readonly path: string;
}

/** Opens what the segments name below a root, and gives it out only if it stood there before and after. */
export async function recheck(root: string, segments: readonly string[], wanted: Wanted): Promise<Rechecked> {
  try {
    const path = await settle(root, join(root, ...segments));
    await refuseOther(path, wanted);
    const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    try {
      await compare(handle, path, wanted);
      return { handle, path };
    } catch (error) {
      await handle.close();
      throw error;
    }
  } catch (error) {
    throw PathError.from(error);
  }
}

/** The real path, which must be the root or below it. */
async function settle(root: string, path: string): Promise<string> {
  const beneath = root.endsWith(sep) ? root : root + sep;
  if (path !== root && !path.startsWith(beneath)) throw new PathError('outside');
  const real = await realpath(path);
  if (real !== root && !real.startsWith(beneath)) throw new PathError('outside');
  return real;
}

/** Looked at before it is opened, since opening a device may do something. */
async function refuseOther(path: string, wanted: Wanted): Promise<void> {
  const seen = await lstat(path);
  if (wanted === 'file' && !seen.isFile()) throw new PathError('notFile');
  if (wanted === 'directory' && !seen.isDirectory()) throw new PathError('notDirectory');
}

async function compare(handle: FileHandle, path: string, wanted: Wanted): Promise<void> {
  const held = await handle.stat();
  if (wanted === 'file' ? !held.isFile() : !held.isDirectory()) throw new PathError('changed');
  for (let look = 0; look < LOOKS; look++) {
    if (realpathSync.native(path) !== path) throw new PathError('changed');
    const there = lstatSync(path);
    if (there.ino !== held.ino || there.dev !== held.dev) throw new PathError('changed');
    const end = performance.now() + Math.random() * LONGEST_PAUSE_MS;
    while (performance.now() < end);
  }
  if (realpathSync.native(path) !== path) throw new PathError('changed');
}
