import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDER = join(ROOT, 'test', 'fuzz', 'corpus');

export interface Kept {
  /** Relative to the project. */
  readonly path: string;
  readonly input: Buffer;
}

/** The inputs that once failed, or must never. */
export function keptFor(target: string): Kept[] {
  const folder = join(FOLDER, target);
  let names: string[] = [];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.bin'));
  } catch {
    return [];
  }
  return names.sort().map((name) => {
    const path = join(folder, name);
    return { path: relative(ROOT, path), input: readFileSync(path) };
  });
}

/** Keeps an input and gives its path. */
export function keep(target: string, input: Buffer): string {
  const name = `${createHash('sha256').update(input).digest('hex').slice(0, 12)}.bin`;
  const folder = join(FOLDER, target);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), input);
  return relative(ROOT, join(folder, name));
}
