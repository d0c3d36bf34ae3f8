import { r20250618 } from './2025-06-18.ts';
import { revise } from './revision.ts';
import { initialize } from './rows/lifecycle.ts';
import { elicitationComplete } from './rows/notices.ts';
import { promptsList } from './rows/prompts.ts';
import { createMessage, elicitForm, elicitUrl } from './rows/questions.ts';
import { resourcesList, templatesList } from './rows/resources.ts';
import { nestedTicket, taskStatus, tasksCancel, tasksGet, tasksList, tasksResult } from './rows/tasks.ts';
import { type ResultWords, toolsCall, toolsList } from './rows/tools.ts';

const result: ResultWords = { content: ['text', 'image', 'audio', 'resource', 'resource_link'], structured: 'object' };

/** Adds icons, URL elicitation, multiple choice, tools in sampling and tasks; an error may leave out an unreadable id. */
export const r20251125 = revise(r20250618, {
  id: '2025-11-25',
  primes: true,
  tasksBy: 'client',
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
    'tools/call': toolsCall(result, nestedTicket),
    'tasks/get': tasksGet,
    'tasks/result': tasksResult(result),
    'tasks/list': tasksList,
    'tasks/cancel': tasksCancel,
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
  tells: { 'notifications/elicitation/complete': elicitationComplete, 'notifications/tasks/status': taskStatus },
});
