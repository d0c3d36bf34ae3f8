import { LIMITED } from '../../rpc/refusal.ts';
import type { Revision } from './revision.ts';
import { confirmed, initialize, ping } from './rows/lifecycle.ts';
import { setLevel } from './rows/listening.ts';
import {
  cancelled,
  initialized,
  listChanged,
  logMessage,
  progress,
  resourceUpdated,
  rootsChanged,
} from './rows/notices.ts';
import { complete, promptsGet, promptsList } from './rows/prompts.ts';
import { createMessage, listRoots } from './rows/questions.ts';
import {
  resourcesList,
  resourcesRead,
  resourcesSubscribe,
  resourcesUnsubscribe,
  templatesList,
} from './rows/resources.ts';
import { toolsCall, toolsList } from './rows/tools.ts';

/** The first revision: the base the others are stated against. */
export const r20241105: Revision = {
  id: '2024-11-05',
  opens: 'handshake',
  batches: false,
  asksBy: 'request',
  pushes: 'session',
  tasksBy: 'never',
  declares: false,
  primes: false,
  unreadableId: 'null',
  stamp: {},
  signs: false,
  codes: {
    parse: -32700,
    badMessage: -32600,
    unknownMethod: -32601,
    badInput: -32602,
    notFound: -32002,
    unsupportedRevision: -32602,
    missingCapability: -32602,
    headerMismatch: -32600,
    denied: -31003,
    limited: LIMITED,
    timeout: -31002,
    internal: -32603,
  },
  methods: {
    initialize: initialize('2024-11-05', { implementation: ['name', 'version'], hides: ['completions', 'tasks'] }),
    ping,
    initialized: confirmed,
    'tools/list': toolsList({ fields: ['name', 'description', 'inputSchema'], booleanProperties: false, keeps: false }),
    'tools/call': toolsCall({ content: ['text', 'image', 'resource'], structured: 'none' }),
    'resources/list': resourcesList({
      fields: ['uri', 'name', 'description', 'mimeType', 'size', 'annotations'],
      keeps: false,
    }),
    'resources/templates/list': templatesList({
      fields: ['uriTemplate', 'name', 'description', 'mimeType', 'annotations'],
      keeps: false,
    }),
    'resources/read': resourcesRead({ fields: ['uri', 'mimeType', 'text', 'blob'], keeps: false }),
    'resources/subscribe': resourcesSubscribe,
    'resources/unsubscribe': resourcesUnsubscribe,
    'prompts/list': promptsList({
      fields: ['name', 'description'],
      argument: ['name', 'description', 'required'],
      keeps: false,
    }),
    'prompts/get': promptsGet({ content: ['text', 'image', 'resource'] }),
    'completion/complete': complete({ context: false }),
    'logging/setLevel': setLevel,
  },
  questions: { sample: createMessage({ content: ['text', 'image'], tools: false }), roots: listRoots },
  tells: {
    'notifications/progress': progress({ message: false }),
    'notifications/message': logMessage,
    'notifications/tools/list_changed': listChanged('tools'),
    'notifications/prompts/list_changed': listChanged('prompts'),
    'notifications/resources/list_changed': listChanged('resources'),
    'notifications/resources/updated': resourceUpdated,
    'notifications/cancelled': cancelled,
  },
  hears: {
    'notifications/initialized': initialized,
    // HyperServe's spelling of the same notice (seed 001).
    initialized,
    'notifications/cancelled': cancelled,
    'notifications/progress': progress({ message: false }),
    'notifications/roots/list_changed': rootsChanged,
  },
};
