import type { CrewOptions } from '../host/crew/crew.ts';
import type { Member } from '../host/crew/member.ts';
import type { Settings } from '../host/settings.ts';
import { UsageError } from './command.ts';

const MOST_WORKERS = 256;

/** How many processes are to share the port. */
export function readWorkers(text: string | undefined): number {
  const count = Number(text ?? '1');
  if (/^\d{1,3}$/.test(text ?? '1') && count >= 1 && count <= MOST_WORKERS) return count;
  throw new UsageError(`Cannot use ${text} workers: give a number from 1 to ${MOST_WORKERS}`);
}

/** What this process is among several: one of the workers, or none, where there is only one. */
export async function findMember(count: number, env: NodeJS.ProcessEnv): Promise<Member | undefined> {
  return count === 1 ? undefined : (await import('../host/crew/member.ts')).joinCrew(env);
}

/** Starts the workers and keeps them until the process is told to end. */
export async function keepWorkers(settings: Settings, options: Omit<CrewOptions, 'log'>): Promise<void> {
  const [{ serveCrew }, { createLog }] = await Promise.all([import('../host/crew/crew.ts'), import('../host/log.ts')]);
  const log = createLog({ level: settings.logLevel, write: (line) => process.stderr.write(line) });
  await serveCrew({ ...options, log });
}

/** The settings of one worker: two processes cannot write one file, so its files have its number in their name. */
export function settingsOf(settings: Settings, member: Member | undefined): Settings {
  if (member === undefined) return settings;
  const { logFile, audit } = settings;
  const own = (path: string): string => path.replace(/(\.[^./\\]+)?$/, `.${member.number}$1`);
  return {
    ...settings,
    ...(logFile === undefined ? {} : { logFile: own(logFile) }),
    ...(audit === undefined || audit === 'stderr' ? {} : { audit: own(audit) }),
  };
}
