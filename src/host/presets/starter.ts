import { VERSION } from '../version.ts';
import type { Preset } from './preset.ts';

/** What is served when nothing is named: packs that touch nothing outside the process. */
export const starter: Preset = {
  server: { name: 'parley', title: 'Parley', version: VERSION },
  instructions:
    'A small server to try a client against: call the tool "hello" with a name, or "evaluate-lisp" with some Common Lisp. The supportive actions are not clinical: show the boundaryNotice of every answer.',
  packs: [{ name: 'hello' }, { name: 'lisp' }, { name: 'humanity' }],
};
