import type { JsonObject } from '../../../model/json.ts';
import type { Finding } from './action.ts';
import { shown } from './crisis.ts';
import { createTest } from './match.ts';
import { type Level, WCAG_RULES, type WcagRule } from './wcag-rules.ts';

const RANK: Readonly<Record<Level, number>> = { A: 1, AA: 2, AAA: 3 };
const LOOKS_LIKE_HTML =
  /<(?:!doctype|html|head|body|main|div|span|section|form|img|a|button|input|video|p|ul|table)[\s/>]/i;

const RULES = WCAG_RULES.map((rule) => ({
  rule,
  named: rule.keywords === undefined ? () => false : createTest(rule.keywords),
}));

interface Asked {
  readonly target: string;
  readonly level: Level;
  readonly context: string;
}

/** Says which criteria of WCAG 2.2 a thing most likely touches. */
export function checkWcag({ target, level, context }: Asked): Finding {
  const markup = LOOKS_LIKE_HTML.test(target);
  const findings = findingsIn({ target, context, level, markup });
  return {
    uncertainty: 'medium',
    assumptions: [
      `Target: ${markup ? 'HTML as given' : shown(target)}`,
      `Compliance level: WCAG 2.2 ${level}`,
      context === '' ? 'Context: none given' : `Context: ${shown(context)}`,
      'About 40% of WCAG can be checked by a program; the rest needs people',
    ],
    output: {
      summary: `${findings.length} likely ${findings.length === 1 ? 'problem' : 'problems'} up to WCAG 2.2 level ${level}`,
      findings,
      next_step: 'Have the result checked by hand, with a keyboard, a screen reader and people who use them',
    },
  };
}

interface Target {
  readonly target: string;
  readonly context: string;
  readonly level: Level;
  readonly markup: boolean;
}

function findingsIn({ target, context, level, markup }: Target): JsonObject[] {
  return RULES.filter(({ rule }) => RANK[rule.level] <= RANK[level])
    .filter(({ rule, named }) => (markup ? rule.html?.test(target) === true : named(`${target} ${context}`)))
    .map(({ rule }) => findingOf(rule));
}

function findingOf({ criterion, level, severity, issue, fix }: WcagRule): JsonObject {
  return { severity, issue: `${issue} (WCAG 2.2 ${criterion}, level ${level})`, fix };
}
