// Installs the dependencies of a folder that has a manifest and a lockfile of its own, unless they are there already.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isMain, ROOT } from './run.mjs';

/** Runs `npm ci` in a folder when its manifest or lockfile changed since the last time; throws when that fails. */
export function install(folder) {
  const here = resolve(ROOT, folder);
  const stamp = join(here, 'node_modules', '.installed');
  const hash = createHash('sha256');
  for (const name of ['package.json', 'package-lock.json']) hash.update(readFileSync(join(here, name)));
  const wanted = hash.digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return console.log(`${folder}: already installed`);
  const started = Date.now();
  const { status, stderr, error } = spawnSync('npm', ['ci', '--no-fund', '--no-audit', '--loglevel=error'], {
    cwd: here,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`Cannot install ${folder}: ${error?.message ?? stderr.trim()}`);
  writeFileSync(stamp, wanted);
  console.log(`${folder}: installed in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

if (isMain(import.meta.url)) {
  if (process.argv.length < 3) throw new TypeError('Usage: node scripts/install.mjs <folder> …');
  for (const folder of process.argv.slice(2)) install(folder);
}
