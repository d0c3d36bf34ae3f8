const TOUCH_TARGET_PX = 44;
const BODY_FONT_PX = 16;
const LINE_HEIGHT = 1.5;

interface NeurodiversityBlock {
  /** Words of a focus entry that ask for the block. */
  readonly focus: readonly string[];
  /** Words of a description that make it apply. */
  readonly keywords: readonly string[];
  readonly recommendations: readonly string[];
  readonly tradeoff: string;
}

export const NEURODIVERSITY_BLOCKS: readonly NeurodiversityBlock[] = [
  {
    focus: ['adhd', 'add', 'attention'],
    keywords: ['notification', 'notifications', 'alert', 'alerts'],
    recommendations: [
      'Let people mute or gather notifications, and keep only urgent ones on by default',
      'Show one main action at a time, with the rest close by but quiet',
      'Save work as it is made, so that an interruption costs nothing',
    ],
    tradeoff: 'Fewer interruptions may let something time-critical be seen late',
  },
  {
    focus: ['autism', 'autistic', 'sensory'],
    keywords: ['animation', 'animations', 'animated', 'motion'],
    recommendations: [
      'Honour the reduced-motion setting and start no sound or movement unasked',
      'Keep layout, labels and order the same everywhere',
      'Say exactly what will happen before it happens; avoid figures of speech',
    ],
    tradeoff: 'A calmer surface may look plain to those who like it lively',
  },
  {
    focus: ['dyslexia', 'dyslexic', 'reading'],
    keywords: ['text', 'texts', 'font', 'fonts'],
    recommendations: [
      `Set body text at ${BODY_FONT_PX}px or more`,
      `Set line height at ${LINE_HEIGHT}× or more and align text to the start of the line`,
      'Use short paragraphs, lists and headings; avoid long runs of capitals and italics',
      'Let people listen to the text or change its font and spacing',
    ],
    tradeoff: 'More space means more scrolling',
  },
  {
    focus: ['executive function', 'executive', 'memory'],
    keywords: ['form', 'forms', 'step', 'steps'],
    recommendations: [
      'Break the task into named steps and show where one is',
      'Keep what was entered when somebody goes back, or comes back later',
      'Ask only for what is needed, and never twice',
      'Let mistakes be undone, and say in words how to mend them',
    ],
    tradeoff: 'More, smaller steps take more clicks',
  },
];

interface AgeBlock {
  readonly groups: readonly string[];
  /** Applies when no group is named. */
  readonly always: boolean;
  readonly recommendations: readonly string[];
  readonly notes: readonly string[];
}

export const AGE_BLOCKS: readonly AgeBlock[] = [
  {
    groups: ['older', 'senior', 'seniors', 'elder', 'elders', 'elderly', '60', '60s', '65', '70'],
    always: true,
    recommendations: [
      `Make targets at least ${TOUCH_TARGET_PX}×${TOUCH_TARGET_PX}px with room between them`,
      'Let text grow to twice its size without losing anything',
      'Use strong contrast, and never colour alone',
      'Give time: no step should end because somebody reads slowly',
      'Name buttons by what they do, in words, beside any icon',
    ],
    notes: [
      'Sight, hearing, touch and memory may each be different',
      'Confirm in words what was done and what comes next',
    ],
  },
  {
    groups: ['young', 'younger', 'child', 'children', 'kid', 'kids', 'teen', 'teens', 'teenager', 'teenagers', 'youth'],
    always: false,
    recommendations: [
      'Use plain words and show what they mean',
      'Make the safest and most private choice the default',
      'Do not reward haste, streaks or spending',
    ],
    notes: [
      'Ask for a guardian where the law does, and for no more data than needed',
      'Offer a way to get help from a person',
    ],
  },
];

export const AGE_GENERIC: readonly string[] = [
  'Use plain words and readable sizes',
  `Make targets at least ${TOUCH_TARGET_PX}×${TOUCH_TARGET_PX}px`,
  'Let every step be undone',
  'Do not rely on memory from one step to the next',
];

export const MONEY_BLOCK = {
  keywords: ['payment', 'payments', 'pay', 'banking', 'bank', 'financial', 'finance', 'money'],
  recommendations: [
    'Show the amount, the receiver and how to undo it before anything is paid',
    'Warn of common scams where they happen, in calm words',
  ],
  notes: ['Allow a trusted helper without sharing a password'],
} as const;
