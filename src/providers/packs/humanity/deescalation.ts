import type { Finding } from './action.ts';
import { findCrisis } from './crisis.ts';
import { crisisLines, placeOf } from './escalation.ts';
import { createTest } from './match.ts';

const needsPeople = createTest([
  'threat*',
  'harm',
  'harms',
  'harmed',
  'harming',
  'legal',
  'lawyer',
  'lawsuit',
  'weapon*',
  'violen*',
  'assault*',
]);

const FIRST = [
  'Pause, breathe, and lower your voice and pace before you answer',
  'Say back what you heard in your own words, and ask whether you got it right',
  'Name the shared goal, and keep the person apart from the problem',
  'Offer a choice between two acceptable next steps, the choice to stop among them',
];

const BY_INTENSITY = {
  low: {
    plan: ['Agree on one small change and when you will look at it together'],
    notes: ['Small irritations grow when they are left: come back to it as agreed'],
  },
  medium: {
    plan: ['Take a short break with a time to come back', 'Write down what is agreed and what is not'],
    notes: ['Watch for raised voices, blame and going over old matters: they are the moment to pause'],
  },
  high: {
    plan: [
      'Make room: give everybody a way out and stop the exchange if it does not calm down',
      'Bring in a neutral third person, and go on only when all sides agree to it',
    ],
    notes: [
      'Do not try to settle the matter while people are at their most upset',
      'Nobody should be alone with somebody they are afraid of',
      'If anybody may get hurt, leave and call for help first',
    ],
  },
} as const;

interface Asked {
  readonly situation: string;
  readonly intensity: keyof typeof BY_INTENSITY;
}

/** Plans a calmer conversation. */
export function planCalm({ situation, intensity }: Asked): Finding {
  const { plan, notes } = BY_INTENSITY[intensity];
  const crisis = findCrisis(situation) !== undefined;
  return {
    uncertainty: 'medium',
    assumptions: [
      `Intensity level: ${intensity}`,
      'All sides are free to leave the conversation',
      'Only one account of the situation is known here',
    ],
    output: {
      plan: [...FIRST, ...plan, 'Check in afterwards with everybody who was part of it'],
      risk_notes: [
        ...(needsPeople(situation)
          ? ['ALERT: safety or legal matters are mentioned; involve the people responsible for them before you go on']
          : []),
        ...notes,
        ...(crisis
          ? ['ALERT: somebody may be in danger; this plan is not for that', ...crisisLines(placeOf('en'))]
          : []),
      ],
    },
  };
}
