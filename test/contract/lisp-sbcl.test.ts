import { findSbcl, SbclEngine } from '../../src/providers/packs/lisp/sbcl.ts';
import { lispContract } from './lisp.ts';

// Only where SBCL is installed; the suite says which engines it ran on.
const found = findSbcl();
if (found !== undefined) lispContract('SBCL', () => new SbclEngine(found));
