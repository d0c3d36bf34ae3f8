import type { Finding } from './action.ts';
import { shown } from './crisis.ts';
import { createFinder } from './match.ts';

const WORDS_PER_SENTENCE = 20;
const WORDS = 150;
const WORDS_BEFORE_STEPS = 50;

const findJargon = createFinder(['pursuant', 'notwithstanding', 'thereto', 'heretofore', 'aforementioned', 'herein']);

interface Measure {
  readonly words: number;
  readonly sentences: number;
  readonly average: number;
  readonly numbered: boolean;
  readonly jargon: readonly string[];
}

interface Advice {
  readonly finding?: string;
  readonly recommendation: string;
}

interface Asked {
  readonly content: string;
  readonly target_context: string;
}

/** Says where a text asks more of memory and attention than it must. */
export function auditText({ content, target_context: context }: Asked): Finding {
  const measure = measureOf(content);
  const advice = adviceOn(measure);
  const findings = advice.flatMap(({ finding }) => (finding === undefined ? [] : [finding]));
  return {
    uncertainty: 'medium',
    assumptions: [
      `Target context: ${shown(context)}`,
      `Word count: ${measure.words}`,
      `Estimated sentences: ${measure.sentences}`,
      'Counts and words are measured; how clear the text is to its readers can only be tested with them',
    ],
    output: {
      findings: findings.length > 0 ? findings : ['No strain on memory or attention was found by these measures'],
      recommendations: [
        ...advice.map(({ recommendation }) => recommendation),
        'Put the most important thing first, and one idea in each paragraph',
        'Test the text with readers who have cognitive disabilities',
      ],
    },
  };
}

function measureOf(content: string): Measure {
  const words = content.split(/\s+/).filter((word) => word !== '').length;
  const sentences = Math.max(1, content.split(/[.!?。！？؟]+/).filter((sentence) => sentence.trim() !== '').length);
  return {
    words,
    sentences,
    average: Math.round(words / sentences),
    numbered: /(?:^|\s)\d{1,3}[.)]\s/.test(content),
    jargon: findJargon(content),
  };
}

function adviceOn({ words, average, numbered, jargon }: Measure): Advice[] {
  return [
    ...(average > WORDS_PER_SENTENCE
      ? [
          {
            finding: `Sentences are long: ${average} words on average`,
            recommendation: `Keep sentences to ${WORDS_PER_SENTENCE} words or fewer`,
          },
        ]
      : []),
    ...(words > WORDS
      ? [
          {
            finding: `The text is long: ${words} words in one go`,
            recommendation: `Split it into parts of at most ${WORDS} words with headings of their own`,
          },
        ]
      : []),
    ...(jargon.length > 0
      ? [{ finding: `Legal jargon: ${jargon.join(', ')}`, recommendation: 'Replace legal words with everyday ones' }]
      : []),
    ...(!numbered && words > WORDS_BEFORE_STEPS
      ? [{ recommendation: 'If readers are to do something, number the steps' }]
      : []),
  ];
}
