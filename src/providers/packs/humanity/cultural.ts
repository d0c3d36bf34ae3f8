import type { Finding } from './action.ts';
import { findCrisis, shown } from './crisis.ts';
import { AUDIENCE_NOTES, GENERIC_NOTES, REGION_NOTES } from './cultural-rules.ts';
import { createReplacer, createTest } from './match.ts';

const REGIONS = REGION_NOTES.map(({ terms, notes }) => ({ fits: createTest(terms), notes }));
const AUDIENCES = AUDIENCE_NOTES.map(({ terms, notes }) => ({ fits: createTest(terms), notes }));
const formal = createReplacer([
  ['guys', ''],
  ['dude', ''],
  ['hey', ''],
]);

interface Asked {
  readonly message: string;
  readonly audience: string;
  readonly region: string;
}

/** Reads a message with another audience in mind. */
export function checkCulture({ message, audience, region }: Asked): Finding {
  const crisis = findCrisis(message)?.personal === true;
  const noted = [
    ...REGIONS.filter(({ fits }) => fits(region)).flatMap(({ notes }) => notes),
    ...AUDIENCES.filter(({ fits }) => fits(audience)).flatMap(({ notes }) => notes),
  ];
  return {
    uncertainty: 'high',
    assumptions: [
      `Audience: ${shown(audience)}`,
      `Region: ${shown(region)}`,
      'A region is not a culture, and a culture is not a person',
      'Only forms of address are changed; the meaning is left to people who know the audience',
    ],
    output: {
      adapted_message: crisis
        ? 'Not adapted: somebody speaks of being in danger here. Have a person answer'
        : `[Adapted for ${shown(audience)} audience, ${shown(region)}]: ${tidy(formal(message))}`,
      notes: noted.length > 0 ? noted : [...GENERIC_NOTES],
      uncertainty:
        'These notes are general and may not fit the people you write to: ask somebody who shares their background.',
    },
  };
}

/** Closes the gaps that removed words leave. */
function tidy(message: string): string {
  return message
    .replace(/[ \t]{2,}/g, ' ')
    .replace(/[ \t]([,.!?;:])/g, '$1')
    .replace(/^[\s,;:]{1,16}/, '');
}
