import { r20250618 } from './2025-06-18.ts';
import { revise } from './revision.ts';
import { initialize } from './rows/lifecycle.ts';
import { elicitationComplete } from './rows/notices.ts';
import { promptsList } from './rows/prompts.ts';
import { createMessage, elicitForm, elicitUrl } from './rows/questions.ts';
import { resourcesList, templatesList } from './rows/resources.ts';
import { toolsList } from './rows/tools.ts';

/** Adds icons, URL elicitation, multiple choice and tools in sampling; an error may leave out an unreadable id. */
export const r20251125 = revise(r20250618, {
  id: '2025-11-25',
  primes: true,
  unreadableId: 'absent',
  methods: {
    initialize: initialize('2025-11-25', {
      implementation: ['name', 'title', 'version', 'description', 'icons', 'websiteUrl'],
      hides: [],
    }),
    'tools/list': toolsList({
      fields: [
        'name',
        'title',
        'description',
        'icons',
        'inputSchema',
        'outputSchema',
        'annotations',
        'execution',
        '_meta',
      ],
      outputRoot: 'object',
      booleanProperties: false,
      keeps: false,
    }),
    'resources/list': resourcesList({
      fields: ['uri', 'name', 'title', 'description', 'icons', 'mimeType', 'size', 'annotations', '_meta'],
      keeps: false,
    }),
    'resources/templates/list': templatesList({
      fields: ['uriTemplate', 'name', 'title', 'description', 'icons', 'mimeType', 'annotations', '_meta'],
      keeps: false,
    }),
    'prompts/list': promptsList({
      fields: ['name', 'title', 'description', 'icons', '_meta'],
      argument: ['name', 'title', 'description', 'required'],
      keeps: false,
    }),
  },
  questions: {
    elicit: elicitForm({ mode: true, multiSelect: true }),
    elicitUrl: elicitUrl({ id: true }),
    sample: createMessage({ content: ['text', 'image', 'audio', 'tool_use', 'tool_result'], tools: true }),
  },
  tells: { 'notifications/elicitation/complete': elicitationComplete },
});
