/** Phrases that are meant well and hurt. */
export const GRIEF_CLICHES: readonly string[] = [
  "they're in a better place",
  'they are in a better place',
  'time heals all wounds',
  'i know how you feel',
  'at least they',
  'at least you',
  'should be over it',
  'be strong',
  'move on',
  'it could be worse',
  'they lived a long life',
  'god has a plan',
  'everything happens for a reason',
];

interface GriefMode {
  readonly reply: string;
  readonly notes: readonly string[];
}

/** What each way of being there sounds like. */
export const GRIEF_MODES: Readonly<Record<'presence' | 'practical' | 'reflection', GriefMode>> = {
  presence: {
    reply:
      'I am so sorry for your loss. There is nothing you have to do or say here. I am with you in this, for as long as you want to talk or to be quiet.',
    notes: [
      'Listen more than you speak, and let silence stand',
      'Name the loss plainly; going around it can feel lonely',
      'Do not look for a bright side',
    ],
  },
  practical: {
    reply:
      'I am so sorry for your loss. When so much is hard, small things can be too much. Is there one thing today, a meal, a call, a form, that somebody could take off your shoulders?',
    notes: [
      'Offer one concrete thing at a time rather than "anything you need"',
      'Let them decide what is handed over and what stays theirs',
      'Keep dates and tasks short and written down',
    ],
  },
  reflection: {
    reply:
      'I am so sorry for your loss. If you would like to, I would be glad to hear about the person you miss: a habit, a saying, a day you remember. Only as much as feels right.',
    notes: [
      'Ask open questions about the person, not about the death',
      'Mixed feelings, relief and anger among them, are part of grief: do not correct them',
      'Stop when they want to stop',
    ],
  },
};
