interface NoteRule {
  /** Whole words of the region or audience that make the notes apply. */
  readonly terms: readonly string[];
  readonly notes: readonly string[];
}

export const REGION_NOTES: readonly NoteRule[] = [
  {
    terms: ['china', 'chinese', 'apac', 'japan', 'japanese', 'korea', 'korean', 'south korea'],
    notes: [
      'Titles and family names are the safer form of address until you are told otherwise',
      'A request that leaves room to decline without saying no is often easier to answer',
      'Praise or correction of one person may be better given in private',
      'Check numbers, colours and gestures with somebody local: some carry meanings of their own',
    ],
  },
  {
    terms: ['middle east', 'arabic', 'arab', 'gulf'],
    notes: [
      'A greeting and a word about wellbeing before the matter itself is often expected',
      'Mind the weekend, prayer times and the lunar calendar when you name dates',
      'Right-to-left text changes layouts, not only letters',
    ],
  },
  {
    terms: ['india', 'indian'],
    notes: [
      'Many languages and faiths share this region: avoid speaking of one of them as all',
      'Titles and the plural of respect are common in writing to people you do not know',
      'Large numbers may be grouped in lakh and crore',
    ],
  },
];

export const AUDIENCE_NOTES: readonly NoteRule[] = [
  {
    terms: ['elder', 'elders', 'elderly', 'senior', 'seniors', 'older', 'old age'],
    notes: [
      'Prefer full words to abbreviations and slang',
      'Respect experience: explain without simplifying the person',
    ],
  },
];

export const GENERIC_NOTES: readonly string[] = [
  'Avoid idioms, sports images and jokes that need explaining',
  'Write dates, times and units so that they can be read only one way',
  'Ask somebody from the audience to read the message before it goes out',
];
