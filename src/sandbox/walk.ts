import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink, statfs } from 'node:fs/promises';
import { PathError } from './path-trouble.ts';

// Linux only. Every name is opened relative to a directory held open, and never through a symbolic link, so there is
// no moment between looking and opening in which somebody could put something else there.

export type Wanted = 'file' | 'directory';

const { O_RDONLY, O_NOFOLLOW, O_DIRECTORY, O_NONBLOCK, O_NOCTTY } = constants;
const DIRECTORY = O_RDONLY | O_NOFOLLOW | O_DIRECTORY | O_NONBLOCK;
const FILE = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
/** As many links as the kernel would follow. */
const MOST_LINKS = 40;
/** How often a name is tried again whose kind changes every time it is looked at. */
const MOST_TRIES = 8;
/** File systems whose files are windows into the kernel: proc, sysfs, debugfs, tracefs, securityfs, devpts, cgroup, bpf. */
const KERNEL_MADE: ReadonlySet<number> = new Set([
  0x9fa0, 0x62656572, 0x64626720, 0x74726163, 0x73636673, 0x1cd1, 0x27e0eb, 0x63677270, 0xcafe4a11,
]);

/** Whether what stands at a path is made up by the kernel. */
export async function isKernelMade(path: string): Promise<boolean> {
  return process.platform === 'linux' && KERNEL_MADE.has((await statfs(path)).type);
}

/** Opens what the segments name below a root. */
export async function walk(root: string, segments: readonly string[], wanted: Wanted): Promise<FileHandle> {
  let walking: Walk | undefined;
  try {
    walking = new Walk(await open(root, O_RDONLY | O_DIRECTORY), segments, wanted);
    return await walking.open();
  } catch (error) {
    throw PathError.from(error);
  } finally {
    await walking?.close();
  }
}

class Walk {
  /** The directories from the root to where the walk is. */
  readonly #trail: FileHandle[];
  readonly #rest: string[];
  readonly #wanted: Wanted;
  #links = 0;
  #tries = 0;

  constructor(root: FileHandle, segments: readonly string[], wanted: Wanted) {
    this.#trail = [root];
    this.#rest = [...segments];
    this.#wanted = wanted;
  }

  async open(): Promise<FileHandle> {
    const { dev } = await this.#here.stat();
    for (;;) {
      const name = this.#rest.shift();
      if (name === undefined) return this.#arrive(dev);
      if (name === '..') await this.#up();
      else if (this.#rest.length > 0 || this.#wanted === 'directory') await this.#enter(name);
      else {
        const file = await this.#file(name, dev);
        if (file !== undefined) return file;
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#trail.splice(0).map((handle) => handle.close()));
  }

  get #here(): FileHandle {
    const here = this.#trail.at(-1);
    if (here === undefined) throw new PathError('outside');
    return here;
  }

  #at(name: string): string {
    return `/proc/self/fd/${this.#here.fd}/${name}`;
  }

  async #arrive(dev: number): Promise<FileHandle> {
    if (this.#wanted === 'file') throw new PathError('notFile');
    await refuseKernelMade(this.#here, dev);
    const handle = this.#here;
    this.#trail.pop();
    return handle;
  }

  async #up(): Promise<void> {
    if (this.#trail.length === 1) throw new PathError('outside');
    await this.#trail.pop()?.close();
  }

  async #enter(name: string): Promise<void> {
    try {
      this.#trail.push(await open(this.#at(name), DIRECTORY));
    } catch (error) {
      if (!isAbout(error, 'ENOTDIR', 'ELOOP')) throw error;
      await this.#followLink(name, await lstat(this.#at(name)));
    }
  }

  /** Opens the last name, unless it is a link, whose names then follow. */
  async #file(name: string, dev: number): Promise<FileHandle | undefined> {
    const seen = await lstat(this.#at(name));
    if (seen.isSymbolicLink()) {
      await this.#followLink(name, seen);
      return undefined;
    }
    // Looked at first, since opening a device may do something.
    if (!seen.isFile()) throw new PathError('notFile');
    const handle = await open(this.#at(name), FILE).catch((error: unknown) => this.#swapped(name, error));
    if (handle === undefined) return undefined;
    try {
      if (!(await handle.stat()).isFile()) throw new PathError('notFile');
      await refuseKernelMade(handle, dev);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** A file that became a link between two looks is looked at again. */
  #swapped(name: string, error: unknown): undefined {
    if (!isAbout(error, 'ELOOP') || ++this.#tries > MOST_TRIES) throw error;
    this.#rest.unshift(name);
  }

  /** Goes on with the names a relative link holds; an absolute one leads outside, whatever it holds. */
  async #followLink(name: string, seen: Stats): Promise<void> {
    if (!seen.isSymbolicLink()) {
      if (!seen.isDirectory() || ++this.#tries > MOST_TRIES) throw new PathError('notDirectory');
      this.#rest.unshift(name);
      return;
    }
    if (++this.#links > MOST_LINKS) throw new PathError('outside');
    const target = await readlink(this.#at(name));
    if (target.startsWith('/')) throw new PathError('outside');
    this.#rest.unshift(...target.split('/').filter((part) => part !== '' && part !== '.'));
  }
}

async function refuseKernelMade(handle: FileHandle, dev: number): Promise<void> {
  if ((await handle.stat()).dev === dev) return;
  if (await isKernelMade(`/proc/self/fd/${handle.fd}`)) throw new PathError('outside');
}

function isAbout(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '');
}
