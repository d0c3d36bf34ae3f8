import { r20250326 } from './2025-03-26.ts';
import { revise } from './revision.ts';
import { initialize } from './rows/lifecycle.ts';
import { complete, promptsGet, promptsList } from './rows/prompts.ts';
import { elicitForm } from './rows/questions.ts';
import { resourcesList, resourcesRead, templatesList } from './rows/resources.ts';
import { toolsCall, toolsList } from './rows/tools.ts';

/** Drops batches; adds titles, output schemas, structured results, resource links, elicitation and completion context. */
export const r20250618 = revise(r20250326, {
  id: '2025-06-18',
  batches: false,
  declares: true,
  methods: {
    initialize: initialize('2025-06-18', { implementation: ['name', 'title', 'version'], hides: ['tasks'] }),
    'tools/list': toolsList({
      fields: ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations', '_meta'],
      outputRoot: 'object',
      booleanProperties: false,
      keeps: false,
    }),
    'tools/call': toolsCall({ content: ['text', 'image', 'audio', 'resource', 'resource_link'], structured: 'object' }),
    'resources/list': resourcesList({
      fields: ['uri', 'name', 'title', 'description', 'mimeType', 'size', 'annotations', '_meta'],
      keeps: false,
    }),
    'resources/templates/list': templatesList({
      fields: ['uriTemplate', 'name', 'title', 'description', 'mimeType', 'annotations', '_meta'],
      keeps: false,
    }),
    'resources/read': resourcesRead({ fields: ['uri', 'mimeType', 'text', 'blob', '_meta'], keeps: false }),
    'prompts/list': promptsList({
      fields: ['name', 'title', 'description', '_meta'],
      argument: ['name', 'title', 'description', 'required'],
      keeps: false,
    }),
    'prompts/get': promptsGet({ content: ['text', 'image', 'audio', 'resource', 'resource_link'] }),
    'completion/complete': complete({ context: true }),
  },
  questions: { elicit: elicitForm({ mode: false, multiSelect: false }) },
});
