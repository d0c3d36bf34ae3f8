import { EmbeddedEngine } from '../../src/providers/packs/lisp/embedded.ts';
import { lispContract } from './lisp.ts';

lispContract('embedded', () => new EmbeddedEngine());
