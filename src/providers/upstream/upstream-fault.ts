import { Fault } from '../../model/fault.ts';
import { PeerError } from './peer-error.ts';

/**
 * What a client may hear when a server behind this one fails: which mount it was and what kind of failure. The words of
 * the far side, its address and the program behind it stay in the log.
 */
export function upstreamFault(mount: string, cause: unknown): Fault {
  if (Fault.is(cause) && cause.code === 'E_DEADLINE') {
    return new Fault('E_DEADLINE', `The server behind "${mount}" did not answer in time`, { cause });
  }
  const what = cause instanceof PeerError ? 'refused the request' : 'cannot be reached or makes no sense';
  return new Fault('E_INTERNAL', `The server behind "${mount}" ${what}`, { cause });
}
