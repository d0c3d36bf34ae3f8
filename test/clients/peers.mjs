import { openAiSdk, openClient, openSdk } from './adapters.mjs';
import { openInspector } from './inspector.mjs';

const OLDEST = '2024-11-05';
const EVERYTHING = ['elicit', 'sample', 'roots', 'progress', 'cancel'];
const BEFORE_FORMS = ['sample', 'roots', 'progress', 'cancel'];
const ALL_WAYS = ['stdio', 'http', 'sse'];

// The first SDKs cancel under a name that no revision has, and the independent client never says that it cancelled.
/**
 * Every client: what it is called, what it asks for on the wire, how it is opened and over what, and what it can do beyond
 * the basics. One with `steps` takes only those.
 */
const CLIENTS = [
  { name: 'sdk 0.5.0', revision: OLDEST, open: openSdk('sdk-0.5.0'), can: ['sample', 'roots', 'progress'] },
  { name: 'sdk 1.0.4', revision: OLDEST, open: openSdk('sdk-1.0.4'), over: ['stdio', 'sse'], can: BEFORE_FORMS },
  { name: 'sdk 1.9.0', revision: OLDEST, open: openSdk('sdk-1.9.0'), over: ['stdio', 'sse'], can: BEFORE_FORMS },
  { name: 'sdk 1.10.2', revision: OLDEST, open: openSdk('sdk-1.10.2'), over: ['http'], can: BEFORE_FORMS },
  { name: 'sdk 1.12.3', revision: '2025-03-26', open: openSdk('sdk-1.12.3'), over: ALL_WAYS, can: BEFORE_FORMS },
  {
    name: 'sdk 1.20.2',
    revision: '2025-06-18',
    open: openSdk('sdk-1.20.2', { elicits: true }),
    over: ALL_WAYS,
    can: EVERYTHING,
  },
  {
    name: 'sdk 1.32.2',
    revision: '2025-11-25',
    open: openSdk('sdk-1.32.2', { elicits: true }),
    over: ALL_WAYS,
    can: EVERYTHING,
  },
  {
    name: 'client 2.4.0 legacy',
    revision: '2025-11-25',
    open: openClient('legacy'),
    over: ALL_WAYS,
    can: EVERYTHING,
  },
  {
    name: 'client 2.4.0 auto',
    revision: '2026-07-28',
    open: openClient('auto'),
    over: ['stdio', 'http'],
    can: EVERYTHING,
  },
  {
    name: 'client 2.4.0 pinned',
    revision: '2026-07-28',
    open: openClient({ pin: '2026-07-28' }),
    over: ['stdio', 'http'],
    can: EVERYTHING,
  },
  { name: 'ai-sdk 2.0.93 legacy', revision: '2025-11-25', open: openAiSdk(false), over: ALL_WAYS, can: ['elicit'] },
  { name: 'ai-sdk 2.0.93', revision: '2026-07-28', open: openAiSdk(true), over: ['stdio', 'http'], can: ['elicit'] },
  {
    name: 'inspector 0.15.0',
    revision: '2025-11-25',
    open: openInspector,
    over: ['http'],
    can: [],
    steps: ['tools', 'resources', 'templates', 'prompts', 'structured', 'failure', 'read', 'prompt'],
  },
  {
    name: 'inspector 0.15.0',
    revision: '2025-11-25',
    open: openInspector,
    over: ['sse'],
    can: [],
    steps: ['tools', 'structured'],
  },
];

/** Every client once for each way it reaches the server. */
export const PEERS = CLIENTS.flatMap(({ over = ['stdio'], ...client }) =>
  over.map((way) => ({ ...client, name: `${client.name} ${way}`, way })),
);
