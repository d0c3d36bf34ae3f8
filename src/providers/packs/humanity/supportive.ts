import type { Finding } from './action.ts';
import { findCrisis } from './crisis.ts';
import { guidance, placeOf, type Risk, voiceOf } from './escalation.ts';

interface Asked {
  readonly message: string;
  readonly risk_level: Risk;
  readonly locale: string;
}

/** Answers somebody who is struggling; the risk is what the caller says, or more. */
export function replySupportively({ message, risk_level: stated, locale }: Asked): Finding {
  const raised = stated !== 'high' && findCrisis(message) !== undefined;
  const risk: Risk = raised ? 'high' : stated;
  const voice = voiceOf(placeOf(locale));
  const why = raised
    ? 'auto-escalated from caller-provided level due to detected crisis signals'
    : 'self-reported or system-assessed';
  return {
    uncertainty: 'medium',
    assumptions: [`Risk level: ${risk} (${why})`],
    output: {
      reply: risk === 'high' ? voice.urgent : voice.calm,
      escalation_guidance: guidance(risk, locale),
      boundaries_notice: voice.notice,
    },
  };
}
