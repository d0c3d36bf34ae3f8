import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DRIVER, START, saving } from './sbcl-driver.ts';

const SAVE_MS = 30_000;

/** What a child is started from: a core with the driver in it, or the driver to load where none could be saved. */
export type Image = { readonly core: string } | { readonly driver: string };

const images = new Map<string, Promise<Image>>();

/** The image for a program, saved once a process and gone with it. */
export function imageOf(program: string): Promise<Image> {
  const known = images.get(program);
  if (known !== undefined) return known;
  const fresh = save(program);
  images.set(program, fresh);
  return fresh;
}

function save(program: string): Promise<Image> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-lisp-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const source = join(folder, 'source.lisp');
  const driver = join(folder, 'driver.lisp');
  const core = join(folder, 'driver.core');
  writeFileSync(source, DRIVER);
  writeFileSync(driver, `${DRIVER}\n${START}\n`);
  const quiet = ['--noinform', '--no-sysinit', '--no-userinit', '--disable-debugger'];
  const args = [...quiet, '--load', source, '--eval', saving(core)];
  return new Promise((resolve) => {
    execFile(program, args, { env: {}, cwd: folder, timeout: SAVE_MS }, () => {
      resolve(existsSync(core) ? { core } : { driver });
    });
  });
}
