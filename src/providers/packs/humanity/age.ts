import type { Finding } from './action.ts';
import { shown } from './crisis.ts';
import { AGE_BLOCKS, AGE_GENERIC, MONEY_BLOCK } from './design-rules.ts';
import { createTest } from './match.ts';

const BLOCKS = AGE_BLOCKS.map((block) => ({ ...block, named: createTest(block.groups) }));
const aboutMoney = createTest(MONEY_BLOCK.keywords);

interface Asked {
  readonly flow_description: string;
  readonly age_groups: readonly string[];
}

/** Reads the description of a flow with all ages in view. */
export function checkForAges({ flow_description: flow, age_groups: groups }: Asked): Finding {
  const fitting = BLOCKS.filter(({ named, always }) => groups.some(named) || (always && groups.length === 0));
  const money = aboutMoney(flow);
  return {
    uncertainty: 'low',
    assumptions: [
      `Age groups: ${groups.length === 0 ? 'all ages' : groups.map(shown).join(', ')}`,
      'Age says little about ability: these are starting points, not rules',
      'The description is taken as complete; what it leaves out was not looked at',
    ],
    output: {
      recommendations: [
        ...(fitting.length > 0 ? fitting.flatMap(({ recommendations }) => recommendations) : AGE_GENERIC),
        ...(money ? MONEY_BLOCK.recommendations : []),
      ],
      access_notes: [
        ...fitting.flatMap(({ notes }) => notes),
        ...(money ? MONEY_BLOCK.notes : []),
        'Offer another way, such as telephone or paper, for what cannot be done on a screen',
        'Test with people of the ages you name',
      ],
    },
  };
}
