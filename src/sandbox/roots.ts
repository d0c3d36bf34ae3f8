import { type FileHandle, lstat, realpath, stat } from 'node:fs/promises';
import { isAbsolute, win32 } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { PathError, type PathTrouble } from './path-trouble.ts';
import { recheck } from './recheck.ts';
import { isKernelMade, walk } from './walk.ts';

/** How paths are kept inside: `walk` never opens anything outside; `recheck` notices afterwards that it did. */
export type RootMethod = 'walk' | 'recheck';

export interface RootOptions {
  /** Chosen by the platform unless given: `walk` needs `/proc`. */
  readonly method?: RootMethod;
}

/** A directory that everything named through it stays below, whoever changes what while it is being opened. */
export interface Root {
  /** The directory itself, without symbolic links. */
  readonly path: string;
  /** Opens a regular file for reading. The caller closes it. */
  openFile(path: string): Promise<FileHandle>;
  /** Opens a directory and lends it to `use`, which may be called several times and only looks. */
  withDirectory<T>(path: string, use: (directory: HeldDirectory) => Promise<T>): Promise<T>;
}

/** A directory held open. */
export interface HeldDirectory {
  /** A path that means this very directory as long as it is held. */
  readonly path: string;
}

const LONGEST_PATH = 4096;
const USES = 4;

/** Makes a root of an existing directory. Throws `TypeError` when it is none. */
export async function createRoot(path: string, { method = methodHere() }: RootOptions = {}): Promise<Root> {
  const real = await realDirectory(path);
  return method === 'walk' ? walkedRoot(real) : recheckedRoot(real);
}

function methodHere(): RootMethod {
  return process.platform === 'linux' ? 'walk' : 'recheck';
}

async function realDirectory(path: string): Promise<string> {
  const refuse = (why: string) => new TypeError(`Cannot use the file root "${path}": ${why}`);
  if (!isAbsolute(path)) throw refuse('give an absolute path');
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) throw refuse('it does not exist or cannot be reached');
  if (!(await stat(real)).isDirectory()) throw refuse('it is not a directory');
  if (await isKernelMade(real)) throw refuse('it belongs to the kernel, not to files');
  return real;
}

function walkedRoot(path: string): Root {
  return {
    path,
    async openFile(asked) {
      return walk(path, segmentsOf(asked), 'file');
    },
    async withDirectory(asked, use) {
      const handle = await walk(path, segmentsOf(asked), 'directory');
      try {
        return await use({ path: `/proc/self/fd/${handle.fd}` });
      } finally {
        await handle.close();
      }
    },
  };
}

function recheckedRoot(path: string): Root {
  return {
    path,
    openFile: (asked) => recheck(path, segmentsOf(asked), 'file').then(({ handle }) => handle),
    async withDirectory(asked, use) {
      const segments = segmentsOf(asked);
      const first = await useRechecked(path, segments, use);
      // By its path a directory can be swapped while it is used and back before the look afterwards. What is made of
      // the same directory every time was not made of another one.
      for (let again = 1; again < USES; again++) {
        if (!isDeepStrictEqual(await useRechecked(path, segments, use), first)) throw new PathError('changed');
      }
      return first;
    },
  };
}

async function useRechecked<T>(
  root: string,
  segments: readonly string[],
  use: (held: HeldDirectory) => Promise<T>,
): Promise<T> {
  const { handle, path: real } = await recheck(root, segments, 'directory');
  try {
    const held = await handle.stat();
    const value = await use({ path: real });
    const now = await lstat(real).catch(() => undefined);
    if (now === undefined || now.ino !== held.ino || now.dev !== held.dev) throw new PathError('changed');
    if ((await realpath(real)) !== real) throw new PathError('changed');
    return value;
  } finally {
    await handle.close();
  }
}

/** The names a relative path is made of; what is no relative path is refused. */
function segmentsOf(path: string): string[] {
  const trouble = troubleWith(path);
  if (trouble !== undefined) throw new PathError(trouble);
  const parts = process.platform === 'win32' ? path.split(/[\\/]/) : path.split('/');
  return parts.filter((part) => part !== '' && part !== '.');
}

function troubleWith(path: string): PathTrouble | undefined {
  if (path.includes('\0')) return 'malformed';
  if (path.length > LONGEST_PATH) return 'malformed';
  const drive = process.platform === 'win32' && (win32.isAbsolute(path) || path.includes(':'));
  return isAbsolute(path) || drive ? 'outside' : undefined;
}
