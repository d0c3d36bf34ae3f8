import { r20251125 } from './2025-11-25.ts';
import { revise } from './revision.ts';
import { discover } from './rows/lifecycle.ts';
import { listen } from './rows/listening.ts';
import { listening, progress } from './rows/notices.ts';
import { promptsList } from './rows/prompts.ts';
import { elicitUrl } from './rows/questions.ts';
import { resourcesList, resourcesRead, templatesList } from './rows/resources.ts';
import {
  type ExtensionWords,
  extendedCancel,
  extendedGet,
  extendedStatus,
  extendedUpdate,
  flatTicket,
} from './rows/tasks.ts';
import { TASKS_EXTENSION } from './rows/tasks-extension.ts';
import { toolsCall, toolsList } from './rows/tools.ts';

const words: ExtensionWords = {
  stamp: { resultType: 'complete' },
  codes: {
    ...r20251125.codes,
    notFound: -32602,
    unsupportedRevision: -32022,
    missingCapability: -32021,
    headerMismatch: -32020,
  },
  questions: { ...r20251125.questions, elicitUrl: elicitUrl({ id: false }) },
  result: { content: ['text', 'image', 'audio', 'resource', 'resource_link'], structured: 'any' },
};

/** Drops the handshake: every request names its revision, every result its type; questions travel in replies, tasks are an extension. */
export const r20260728 = revise(r20251125, {
  id: '2026-07-28',
  opens: 'every-request',
  asksBy: 'reply',
  pushes: 'listen',
  primes: false,
  tasksBy: 'server',
  stamp: words.stamp,
  signs: true,
  codes: words.codes,
  without: [
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'notifications/initialized',
    'notifications/progress',
    'initialized',
    'notifications/roots/list_changed',
    'notifications/elicitation/complete',
    'tasks/result',
    'tasks/list',
    'notifications/tasks/status',
  ],
  methods: {
    'server/discover': discover({ hides: ['tasks', 'sse'], extends: { tasks: TASKS_EXTENSION } }),
    'tools/list': toolsList({
      fields: ['name', 'title', 'description', 'icons', 'inputSchema', 'outputSchema', 'annotations', '_meta'],
      outputRoot: 'any',
      booleanProperties: true,
      keeps: true,
    }),
    'tools/call': toolsCall(words.result, flatTicket),
    'tasks/get': extendedGet(words),
    'tasks/update': extendedUpdate,
    'tasks/cancel': extendedCancel,
    'resources/list': resourcesList({
      fields: ['uri', 'name', 'title', 'description', 'icons', 'mimeType', 'size', 'annotations', '_meta'],
      keeps: true,
    }),
    'resources/templates/list': templatesList({
      fields: ['uriTemplate', 'name', 'title', 'description', 'icons', 'mimeType', 'annotations', '_meta'],
      keeps: true,
    }),
    'resources/read': resourcesRead({ fields: ['uri', 'mimeType', 'text', 'blob', '_meta'], keeps: true }),
    'prompts/list': promptsList({
      fields: ['name', 'title', 'description', 'icons', '_meta'],
      argument: ['name', 'title', 'description', 'required'],
      keeps: true,
    }),
    'subscriptions/listen': listen,
  },
  questions: words.questions,
  tells: {
    'notifications/progress': progress({ message: true }),
    'notifications/subscriptions/acknowledged': listening,
    'notifications/tasks': extendedStatus(words),
  },
});
