import type { Replacement } from './match.ts';

/** Phrases that press on people who are low, under the label each is reported with. */
export const DEPRESSION_FLAGS: readonly { readonly label: string; readonly phrases: readonly string[] }[] = [
  {
    label: 'Shame/blame language detected',
    phrases: ['you failed', 'you must', 'you should have', 'try harder', 'your fault'],
  },
  {
    label: 'Urgency pressure detected',
    phrases: ['last chance', 'act now', "don't miss out", 'limited time'],
  },
  {
    label: 'High cognitive load pattern detected',
    phrases: ['please complete all', 'required steps', 'do not proceed unless'],
  },
  {
    label: 'Stigmatizing language',
    phrases: ['crazy', 'insane', 'psycho', 'nut', 'nuts', 'nutcase', 'loony', 'weak minded', 'weak-minded', 'weakness'],
  },
  {
    label: 'Potential medical claim',
    phrases: [
      'cure',
      'cures',
      'cured',
      'diagnos*',
      'prescri*',
      'medication without doctor',
      'home remedy',
      'guaranteed to treat',
    ],
  },
  {
    label: 'Minimizing/invalidating',
    phrases: [
      'just get over it',
      'snap out of it',
      "it's all in your head",
      'just think positive',
      'make up your mind',
      'pull yourself together',
      'cheer up',
      'stop feeling sorry',
    ],
  },
  { label: 'Judgmental', phrases: ['poor compliance', 'non-compliant', 'non compliant', 'not trying', 'lazy'] },
  {
    label: 'Stigmatizing framing',
    phrases: ['suffering from', 'afflicted with', 'victim of', 'depressive person'],
  },
  { label: 'Crisis language framing', phrases: ['committed suicide', 'commit suicide', 'commits suicide'] },
];

/** Applied in this order; the longer phrase comes before the one it holds. */
export const DEPRESSION_REPLACEMENTS: readonly Replacement[] = [
  ['you should have', "next time, let's"],
  ['you failed to', "let's"],
  ['you failed', 'this did not work out yet'],
  ['you must', 'you can'],
  ['you need to', 'when ready, you can'],
  ['try harder', 'take the time you need'],
  ['last chance', 'when you are ready'],
  ['act now', 'when you are ready'],
  ["don't miss out", 'it is here if you want it'],
  ['limited time', 'available for a period'],
  ['please complete all', 'complete'],
  ['required steps', 'the following steps'],
  ['do not proceed unless', 'when you are ready, you can go on once'],
  ['committed suicide', 'died by suicide'],
  ['commits suicide', 'dies by suicide'],
  ['commit suicide', 'die by suicide'],
  ['suffering from', 'living with'],
  ['afflicted with', 'living with'],
  ['victim of', 'person affected by'],
  ['depressive person', 'person with depression'],
];
