import type { Finding } from './action.ts';
import { findCrisis } from './crisis.ts';
import { crisisLines, guidance, placeOf } from './escalation.ts';
import { GRIEF_CLICHES, GRIEF_MODES } from './grief-rules.ts';
import { createFinder } from './match.ts';

const findCliches = createFinder(GRIEF_CLICHES);

interface Asked {
  readonly message: string;
  readonly support_mode: keyof typeof GRIEF_MODES;
}

/** Answers somebody who mourns, in one of three ways of being there. */
export function supportGrief({ message, support_mode: mode }: Asked): Finding {
  const crisis = findCrisis(message);
  const cliches = findCliches(message);
  const { reply, notes } = GRIEF_MODES[mode];
  return {
    uncertainty: 'medium',
    assumptions: [
      `Support mode: ${mode}`,
      'Grief has no schedule and no right form; this reply assumes neither',
      'Non-clinical support: whether somebody needs treatment cannot be told from a message',
    ],
    output: {
      reply,
      care_notes: [
        ...(crisis === undefined
          ? []
          : ['The message holds signs of crisis: have a person read it before anything is sent']),
        ...(cliches.length === 0
          ? []
          : [
              `Avoid phrases that can hurt, such as "${cliches.join('", "')}": say what you know instead of what it means`,
            ]),
        ...notes,
        'Use the name of the person who died, if it was given',
        'Come back to it later: the weeks after are often harder than the first days',
      ],
      escalation_guidance: crisis === undefined ? guidance('medium', '') : crisisLines(placeOf('en')),
    },
  };
}
