import { defineAction, STRING, STRINGS } from './action.ts';
import { findCrisis } from './crisis.ts';
import { guidance, placeOf, type Risk, voiceOf } from './escalation.ts';
import { choice, optionalText, text } from './fields.ts';

/** Answers somebody who is struggling; the risk is what the caller says, or more. */
export const supportiveReply = defineAction({
  name: 'supportive_reply',
  title: 'Supportive reply',
  description:
    'Drafts a warm, non-clinical reply to somebody who is struggling, with guidance on where to turn that fits the risk and the locale. Show the boundary notice and the escalation guidance as they are.',
  skill: 'supportive-conversation',
  boundary: 'Non-clinical support; must provide escalation cues when risk is elevated',
  input: {
    message: text('What the person wrote'),
    risk_level: choice('How much danger the caller sees', ['low', 'medium', 'high']),
    locale: optionalText('Language and country, such as en-GB: the reply and the services named follow it', ''),
  },
  output: { reply: STRING, escalation_guidance: STRINGS, boundaries_notice: STRING },
  run({ message, risk_level: stated, locale }) {
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
  },
});
