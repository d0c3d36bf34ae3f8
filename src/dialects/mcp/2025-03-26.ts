import { r20241105 } from './2024-11-05.ts';
import { revise } from './revision.ts';
import { initialize } from './rows/lifecycle.ts';
import { progress } from './rows/notices.ts';
import { promptsGet } from './rows/prompts.ts';
import { createMessage } from './rows/questions.ts';
import { toolsCall, toolsList } from './rows/tools.ts';

/** Adds batches, tool annotations, audio, progress messages and the completions capability. */
export const r20250326 = revise(r20241105, {
  id: '2025-03-26',
  batches: true,
  methods: {
    initialize: initialize('2025-03-26', { implementation: ['name', 'version'], hides: ['tasks'] }),
    'tools/list': toolsList({
      fields: ['name', 'description', 'inputSchema', 'annotations'],
      booleanProperties: false,
      keeps: false,
    }),
    'tools/call': toolsCall({ content: ['text', 'image', 'audio', 'resource'], structured: 'none' }),
    'prompts/get': promptsGet({ content: ['text', 'image', 'audio', 'resource'] }),
  },
  questions: { sample: createMessage({ content: ['text', 'image', 'audio'], tools: false }) },
  tells: { 'notifications/progress': progress({ message: true }) },
  hears: { 'notifications/progress': progress({ message: true }) },
});
