import type { Server } from '../../../catalog/server.ts';
import type { Log } from '../../../model/log.ts';
import { createLisp } from './pack.ts';

/** The lisp pack on the engine an operator named: "embedded", which is always there, or "sbcl", where it is installed. */
export async function openLisp(engine: string | undefined, log: Log): Promise<Server> {
  if (engine === undefined || engine === 'embedded') return createLisp();
  if (engine !== 'sbcl') throw new TypeError(`Cannot use Lisp engine "${engine}": choose "embedded" or "sbcl"`);
  const { findSbcl, SbclEngine } = await import('./sbcl.ts');
  const found = findSbcl();
  if (found === undefined)
    throw new TypeError('Cannot use Lisp engine "sbcl": install SBCL, or leave the engine to "embedded"');
  if (found.bubblewrap === undefined)
    log('warn', 'SBCL runs without a sandbox: install bubblewrap to keep programs from the files and the network');
  return createLisp({ engine: () => new SbclEngine(found) });
}
