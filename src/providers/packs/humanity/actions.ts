import { type Action, defineAction, STRING, STRINGS } from './action.ts';
import { choice, optionalText, text, texts } from './fields.ts';

/** The ten actions, in the order clients know. What one does, with its rules and texts, is loaded by its first call. */
export const ACTIONS: readonly Action[] = [
  defineAction({
    name: 'wcagaaa_check',
    title: 'WCAG check',
    description:
      'Names likely accessibility problems of a page, component or piece of HTML up to a WCAG 2.2 level, each with a fix. A first look, not an audit.',
    skill: 'wcag-aaa-accessibility',
    boundary: 'Compliance guidance only; does not replace legal review',
    input: {
      target: text('What to check: a description, an address or HTML'),
      level: choice('The WCAG level aimed at', ['A', 'AA', 'AAA']),
      context: optionalText('What it is for', ''),
    },
    output: {
      summary: STRING,
      findings: {
        type: 'array',
        items: {
          type: 'object',
          properties: { severity: { enum: ['high', 'medium', 'low'] }, issue: STRING, fix: STRING },
          required: ['severity', 'issue', 'fix'],
          additionalProperties: false,
        },
      },
      next_step: STRING,
    },
    run: async (input) => (await import('./wcag.ts')).checkWcag(input),
  }),
  defineAction({
    name: 'rewrite_depression_sensitive_content',
    title: 'Depression-sensitive content',
    description:
      'Audits or rewrites interface text and messages so that they do not shame, rush or overload readers who may be depressed.',
    skill: 'depression-sensitive-content',
    boundary: 'Non-clinical UX/content guidance only',
    input: {
      text: text('The text to look at'),
      mode: choice('Report only, or rewrite too', ['audit', 'rewrite'], 'rewrite'),
      domain: optionalText('Where the text is used, such as onboarding or billing', 'general'),
    },
    output: {
      result: STRING,
      safety_flags: STRINGS,
      pattern_count: { type: 'integer', minimum: 0 },
      review_recommended: { type: 'boolean' },
      crisis_resources: STRINGS,
    },
    optional: ['crisis_resources'],
    run: async (input) => (await import('./depression.ts')).softenContent(input),
  }),
  defineAction({
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
    run: async (input) => (await import('./supportive.ts')).replySupportively(input),
  }),
  defineAction({
    name: 'cognitive_accessibility_audit',
    title: 'Cognitive accessibility audit',
    description:
      'Looks at a text for long sentences, length, legal jargon and missing steps, and says how to make it easier to follow.',
    skill: 'cognitive-accessibility',
    boundary: 'Design guidance only',
    input: {
      content: text('The text readers are to understand'),
      target_context: optionalText('Where it is read', 'general digital interface'),
    },
    output: { findings: STRINGS, recommendations: STRINGS },
    run: async (input) => (await import('./cognitive.ts')).auditText(input),
  }),
  defineAction({
    name: 'cultural_context_check',
    title: 'Cultural context check',
    description:
      'Adapts the forms of address of a message for an audience and region, and notes what to ask people from there.',
    skill: 'cultural-sensitivity',
    boundary: 'Context-sensitive recommendations with uncertainty disclosure',
    input: {
      message: text('The message to look at'),
      audience: text('Who will read it'),
      region: optionalText('Where they are', 'global'),
    },
    output: { adapted_message: STRING, notes: STRINGS, uncertainty: STRING },
    run: async (input) => (await import('./cultural.ts')).checkCulture(input),
  }),
  defineAction({
    name: 'deescalation_plan',
    title: 'De-escalation plan',
    description: 'Gives steps and risks for calming a conflict, by how heated it is, without pressure or tricks.',
    skill: 'conflict-de-escalation',
    boundary: 'No coercive tactics',
    input: {
      situation: text('What is going on'),
      intensity: choice('How heated it is', ['low', 'medium', 'high'], 'medium'),
    },
    output: { plan: STRINGS, risk_notes: STRINGS },
    run: async (input) => (await import('./deescalation.ts')).planCalm(input),
  }),
  defineAction({
    name: 'empathetic_reframe',
    title: 'Empathetic reframe',
    description: 'Rewords a message so that it blames less and explains more, without changing its facts.',
    skill: 'empathetic-communication',
    boundary: 'No manipulation or deceptive empathy',
    input: {
      message: text('The message to reword'),
      tone: choice('How it should sound', ['neutral', 'warm', 'formal'], 'warm'),
    },
    output: { reframed_message: STRING, rationale: STRINGS, escalation_guidance: STRINGS },
    run: async (input) => (await import('./empathetic.ts')).reframeMessage(input),
  }),
  defineAction({
    name: 'grief_support_response',
    title: 'Grief support response',
    description:
      'Drafts a gentle reply to somebody who mourns: being present, offering practical help, or inviting memories. Notes for whoever sends it come along.',
    skill: 'grief-loss-support',
    boundary: 'Non-clinical bereavement support only',
    input: {
      message: text('What the person wrote, or the draft that is to be sent to them'),
      support_mode: choice('How to be there for them', ['presence', 'practical', 'reflection']),
    },
    output: { reply: STRING, care_notes: STRINGS, escalation_guidance: STRINGS },
    run: async (input) => (await import('./grief.ts')).supportGrief(input),
  }),
  defineAction({
    name: 'neurodiversity_design_check',
    title: 'Neurodiversity design check',
    description:
      'Recommends design choices for attention, sensory, reading and memory differences, and names what each costs.',
    skill: 'neurodiversity-aware-design',
    boundary: 'Inclusive design guidance only',
    input: {
      ui_description: text('What the interface looks like and does'),
      focus: texts('What to look at, such as ADHD, autism, dyslexia or executive function; everything when absent'),
    },
    output: { recommendations: STRINGS, tradeoffs: STRINGS },
    run: async (input) => (await import('./neurodiversity.ts')).checkForMinds(input),
  }),
  defineAction({
    name: 'age_inclusive_design_check',
    title: 'Age-inclusive design check',
    description: 'Recommends design choices that serve older and younger people in a described flow.',
    skill: 'age-inclusive-design',
    boundary: 'Inclusive design guidance only',
    input: {
      flow_description: text('What people do, step by step'),
      age_groups: texts('Who it is for, such as older adults or teens; all ages when absent'),
    },
    output: { recommendations: STRINGS, access_notes: STRINGS },
    run: async (input) => (await import('./age.ts')).checkForAges(input),
  }),
];
