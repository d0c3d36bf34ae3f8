import type { JsonObject } from '../../../model/json.ts';
import type { Finding } from './action.ts';
import { type Crisis, findCrisis, shown } from './crisis.ts';
import { DEPRESSION_FLAGS, DEPRESSION_REPLACEMENTS } from './depression-rules.ts';
import { crisisLines, placeOf } from './escalation.ts';
import { createFinder, createReplacer } from './match.ts';

const FLAGS = DEPRESSION_FLAGS.map(({ label, phrases }) => ({ label, find: createFinder(phrases) }));
const rewrite = createReplacer(DEPRESSION_REPLACEMENTS);

interface Asked {
  readonly text: string;
  readonly mode: 'audit' | 'rewrite';
  readonly domain: string;
}

/** Finds and softens words that press on readers who are low. */
export function softenContent({ text: given, mode, domain }: Asked): Finding {
  const crisis = findCrisis(given);
  const flags = [...flagsOf(given), ...crisisFlags(crisis)];
  const output: JsonObject = {
    result: resultOf(given, { mode, crisis, count: flags.length }),
    safety_flags: flags,
    pattern_count: flags.length,
    review_recommended: flags.length > 0,
    ...(crisis === undefined ? {} : { crisis_resources: crisisLines(placeOf('en')) }),
  };
  return {
    uncertainty: 'medium',
    assumptions: [
      `Mode: ${mode}`,
      `Domain: ${shown(domain)}`,
      'Phrases are matched, meaning is not understood: a person should read the result',
      'Non-clinical guidance: nothing here says anything about the health of a reader',
    ],
    output,
  };
}

function flagsOf(given: string): string[] {
  return FLAGS.flatMap(({ label, find }) => find(given).map((phrase) => `${label}: "${phrase.replace('*', '')}"`));
}

function crisisFlags(crisis: Crisis | undefined): string[] {
  return crisis === undefined ? [] : [`Crisis indicators detected: ${crisis.names.join(', ')}`];
}

function resultOf(given: string, about: { mode: string; crisis: Crisis | undefined; count: number }): string {
  if (about.mode === 'audit')
    return `${about.count} pattern${about.count === 1 ? '' : 's'} found that may be hard on readers`;
  if (about.crisis?.personal === true) {
    return 'Not rewritten: somebody speaks of being in danger here. Have a person answer, and do not publish the text';
  }
  return rewrite(given);
}
