import { VERSION } from '../version.ts';
import type { Preset } from './preset.ts';

/** A Common Lisp session: nothing but its tools, and those only for a client that said it is ready. */
export const lisp: Preset = {
  server: { name: 'cl-mcp-server', title: 'Common Lisp', version: VERSION },
  instructions:
    'Evaluate Common Lisp with the tool "evaluate-lisp". Definitions and the current package stay until "reset-session". Read "error" for the type of a condition; use "describe-symbol" and "apropos-search" to look things up.',
  packs: [{ name: 'lisp' }],
  host: { capabilities: { tools: {} }, gate: 'ready', assumes: 'nobody' },
};
