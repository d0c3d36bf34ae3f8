import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Memory a process holds, and the most it ever held, in bytes. */
export function memoryOf(pid: number): { rss: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024;
  return { rss: read('VmRSS'), peak: read('VmHWM') };
}

/** The first process a process started. */
export function childOf(pid: number): number | undefined {
  return childrenOf(pid)[0];
}

/** Every process a process started that is still there. */
export function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return children.filter((child) => child !== '').map(Number);
}

/** How many descriptors a process has open. */
export function descriptorsOf(pid: number | string): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

let probes = process.env['CHAOS_PROBES'];

/** The folder of this run where probes listen; it goes when the run ends. */
export function probesFolder(): string {
  if (probes !== undefined) return probes;
  const made = mkdtempSync(join(tmpdir(), 'parley-probes-'));
  process.on('exit', () => rmSync(made, { recursive: true, force: true }));
  probes = made;
  return made;
}

/** Where the probe of a process listens. */
export function probePath(pid: number): string {
  return join(probesFolder(), `${pid}.sock`);
}
