import type { Finding } from './action.ts';
import { shown } from './crisis.ts';
import { NEURODIVERSITY_BLOCKS } from './design-rules.ts';
import { createTest } from './match.ts';

const BLOCKS = NEURODIVERSITY_BLOCKS.map((block) => ({
  ...block,
  named: createTest(block.focus),
  seen: createTest(block.keywords),
}));

interface Asked {
  readonly ui_description: string;
  readonly focus: readonly string[];
}

/** Reads the description of an interface with different minds in view. */
export function checkForMinds({ ui_description: description, focus }: Asked): Finding {
  const fitting = BLOCKS.filter(({ named, seen }) => focus.length === 0 || focus.some(named) || seen(description));
  const recommendations = fitting.flatMap((block) => block.recommendations);
  return {
    uncertainty: 'medium',
    assumptions: [
      `Focus areas: ${focus.length === 0 ? 'all' : focus.map(shown).join(', ')}`,
      'The description is taken as complete; what it leaves out was not looked at',
      'People with the same diagnosis differ: settings serve more of them than one design',
    ],
    output: {
      recommendations:
        recommendations.length > 0
          ? recommendations
          : [
              'Let people choose motion, density and contrast, and remember the choice',
              'Keep layouts and words the same from page to page',
            ],
      tradeoffs: [
        ...fitting.map(({ tradeoff }) => tradeoff),
        'Needs can conflict: offer settings where one choice would shut somebody out',
      ],
    },
  };
}
