import { isLaunched } from '../transports/launched.ts';

/**
 * Runs this program again with the protocol on a descriptor that only the transport knows, and resolves to its exit
 * code; `undefined` in the process that is to do the work. It loads nothing else, since two processes pay for it.
 */
export async function launch(): Promise<number | undefined> {
  if (isLaunched()) return undefined;
  const { launchGuarded } = await import('../transports/launcher.ts');
  return launchGuarded(process.argv.slice(1));
}
