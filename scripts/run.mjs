import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Whether a module is the program itself and not imported by another. */
export function isMain(moduleUrl) {
  return process.argv[1] !== undefined && moduleUrl === pathToFileURL(resolve(process.argv[1])).href;
}

/** Runs a command in the project and resolves to its exit code and what it printed; prints along unless `quiet`. */
export function run(command, args, { cwd = ROOT, env = {}, quiet = false } = {}) {
  return new Promise((settle, fail) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    for (const stream of ['stdout', 'stderr']) {
      child[stream].on('data', (chunk) => {
        chunks.push(chunk);
        if (!quiet) process[stream].write(chunk);
      });
    }
    child.on('error', fail);
    child.on('close', (code) => settle({ code: code ?? 1, output: Buffer.concat(chunks).toString('utf8') }));
  });
}

/** Like `run`, silent, and throws with the output when the command fails. */
export async function must(command, args, options = {}) {
  const { code, output } = await run(command, args, { ...options, quiet: true });
  if (code !== 0) throw new Error(`${[command, ...args].join(' ')} ended with code ${code}\n${output.trimEnd()}`);
  return output;
}

/** The files below a folder whose path ends a given way, sorted; none when there is no folder. */
export function filesIn(folder, ending) {
  try {
    return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
      .filter((path) => !path.includes('node_modules'))
      .sort();
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
