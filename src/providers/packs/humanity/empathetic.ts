import type { Finding } from './action.ts';
import { findCrisis } from './crisis.ts';
import { crisisLines, placeOf } from './escalation.ts';
import { createReplacer, type Replacement } from './match.ts';

const WARM: readonly Replacement[] = [
  ['you failed to', 'it was not possible for you to'],
  ['you failed', 'it did not work out'],
  ['you must', 'could you please'],
  ['unfortunately', 'I am sorry to say that'],
  ['we cannot', 'we are not able to'],
  ["we don't", 'we are not able to'],
  ['your issue', 'your concern'],
  ['your problem', 'your concern'],
  ['your complaint', 'your concern'],
  ['as per our policy', 'to be fair to everyone'],
];
const FORMAL: readonly Replacement[] = [
  ['sorry', 'we apologise'],
  ['thanks', 'thank you'],
  ['hi', 'good day'],
  ['you guys', 'you'],
];

const TONES = {
  warm: {
    reframe: createReplacer(WARM),
    rationale: [
      'Blame was taken out, so that the reader can hear the matter',
      'Refusals say what is not possible and do not hide behind a rule',
      'The facts are unchanged: warmth must not promise what is not meant',
    ],
  },
  formal: {
    reframe: createReplacer(FORMAL),
    rationale: ['Casual words were replaced where the occasion asks for it', 'The facts are unchanged'],
  },
  neutral: {
    reframe: (message: string) => message,
    rationale: ['The words are left as they are; only risks were looked for'],
  },
} as const;

interface Asked {
  readonly message: string;
  readonly tone: keyof typeof TONES;
}

/** Says the same thing with more care. */
export function reframeMessage({ message, tone }: Asked): Finding {
  const crisis = findCrisis(message);
  const { reframe, rationale } = TONES[tone];
  const withheld = crisis?.personal === true;
  return {
    uncertainty: 'low',
    assumptions: [
      `Tone: ${tone}`,
      'The sender means what the message says',
      'Phrases are replaced, meaning is not understood: read it before you send it',
    ],
    output: {
      reframed_message: withheld
        ? 'Not reworded: somebody speaks of being in danger here. Have a person answer'
        : reframe(message),
      rationale: withheld
        ? ['A message like this must be answered by a person, not reworded by a program']
        : [...rationale],
      escalation_guidance:
        crisis === undefined
          ? []
          : [
              'Do not automate the answer to this message',
              'Pass it to a person who can help now',
              ...crisisLines(placeOf('en')),
            ],
    },
  };
}
