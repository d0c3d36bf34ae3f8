import { r20251125 } from './2025-11-25.ts';
import { revise } from './revision.ts';
import { discover } from './rows/lifecycle.ts';
import { listen } from './rows/listening.ts';
import { listening, progress } from './rows/notices.ts';
import { promptsList } from './rows/prompts.ts';
import { elicitUrl } from './rows/questions.ts';
import { resourcesList, resourcesRead, templatesList } from './rows/resources.ts';
import { toolsCall, toolsList } from './rows/tools.ts';

/** Drops the handshake: every request names its revision, every result its type; questions travel in replies. */
export const r20260728 = revise(r20251125, {
  id: '2026-07-28',
  opens: 'every-request',
  asksBy: 'reply',
  pushes: 'listen',
  primes: false,
  stamp: { resultType: 'complete' },
  signs: true,
  codes: {
    ...r20251125.codes,
    notFound: -32602,
    unsupportedRevision: -32022,
    missingCapability: -32021,
    headerMismatch: -32020,
  },
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
  ],
  methods: {
    'server/discover': discover({ hides: ['tasks', 'sse'] }),
    'tools/list': toolsList({
      fields: ['name', 'title', 'description', 'icons', 'inputSchema', 'outputSchema', 'annotations', '_meta'],
      outputRoot: 'any',
      booleanProperties: true,
      keeps: true,
    }),
    'tools/call': toolsCall({ content: ['text', 'image', 'audio', 'resource', 'resource_link'], structured: 'any' }),
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
  questions: { elicitUrl: elicitUrl({ id: false }) },
  tells: {
    'notifications/progress': progress({ message: true }),
    'notifications/subscriptions/acknowledged': listening,
  },
});
