import type { RevisionId } from '../../scenarios/revisions.ts';

/** What a peer speaks: a revision, JSON-RPC without a handshake, or actions. */
export type Tongue = RevisionId | 'bare' | 'action';

/** What the oracle knows of the connection a line comes on. */
export interface Ground {
  readonly speaks: Tongue;
  readonly messageBytes: number;
  readonly jsonDepth: number;
  readonly batchLength: number;
}

const BASE = [
  'ping',
  'initialized',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'initialize',
];
const TASKS = ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'];

/** Every method a handshake revision has a word for, told apart from the server's own tables. */
export const METHODS: Readonly<Partial<Record<Tongue, ReadonlySet<string>>>> = {
  '2024-11-05': new Set(BASE),
  '2025-03-26': new Set(BASE),
  '2025-06-18': new Set(BASE),
  '2025-11-25': new Set([...BASE, ...TASKS]),
};

/** How an error looks that cannot name its request. */
export type Nameless = 'null' | 'absent' | 'either';

/** The form a connection's errors take when they cannot name their request. */
export function namelessIn(speaks: Tongue): Nameless {
  if (speaks === 'bare' || speaks === 'action') return 'either';
  return speaks >= '2025-11-25' ? 'absent' : 'null';
}
