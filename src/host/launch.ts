import { isLaunched } from '../transports/launched.ts';
import { moveStdout } from '../transports/moved-stdout.ts';

/**
 * Puts the protocol on a descriptor that only the transport knows: in this process where the system allows it, else by
 * running the program again. Resolves to the exit code of that, and to `undefined` in the process that is to do the
 * work. It loads nothing else, since two processes may pay for it.
 */
export async function launch(): Promise<number | undefined> {
  if (isLaunched() || moveStdout()) return undefined;
  const { launchGuarded } = await import('../transports/launcher.ts');
  return launchGuarded(process.argv.slice(1));
}
