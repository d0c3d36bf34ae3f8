import { openAiSdk, openClient, openSdk } from './adapters.mjs';

const OLDEST = '2024-11-05';
const EVERYTHING = ['elicit', 'sample', 'roots', 'progress', 'cancel'];
const BEFORE_FORMS = ['sample', 'roots', 'progress', 'cancel'];

// The first SDKs cancel under a name that no revision has, and the independent client never says that it cancelled.
/** Every client: what it is called, what it asks for on the wire, how it is opened, and what it can do beyond the basics. */
export const PEERS = [
  { name: 'sdk 0.5.0', revision: OLDEST, open: openSdk('sdk-0.5.0'), can: ['sample', 'roots', 'progress'] },
  { name: 'sdk 1.0.4', revision: OLDEST, open: openSdk('sdk-1.0.4'), can: BEFORE_FORMS },
  { name: 'sdk 1.9.0', revision: OLDEST, open: openSdk('sdk-1.9.0'), can: BEFORE_FORMS },
  { name: 'sdk 1.12.3', revision: '2025-03-26', open: openSdk('sdk-1.12.3'), can: BEFORE_FORMS },
  { name: 'sdk 1.20.2', revision: '2025-06-18', open: openSdk('sdk-1.20.2', { elicits: true }), can: EVERYTHING },
  { name: 'sdk 1.32.2', revision: '2025-11-25', open: openSdk('sdk-1.32.2', { elicits: true }), can: EVERYTHING },
  { name: 'client 2.4.0 legacy', revision: '2025-11-25', open: openClient('legacy'), can: EVERYTHING },
  { name: 'client 2.4.0 auto', revision: '2026-07-28', open: openClient('auto'), can: EVERYTHING },
  {
    name: 'client 2.4.0 pinned',
    revision: '2026-07-28',
    open: openClient({ pin: '2026-07-28' }),
    can: EVERYTHING,
  },
  { name: 'ai-sdk 2.0.93 legacy', revision: '2025-11-25', open: openAiSdk(false), can: ['elicit'] },
  { name: 'ai-sdk 2.0.93', revision: '2026-07-28', open: openAiSdk(true), can: ['elicit'] },
];
