import type { Server } from '../../../catalog/server.ts';

const NOTHING = { type: 'object', properties: {}, additionalProperties: false } as const;
const FORM = {
  type: 'object',
  properties: { name: { type: 'string', title: 'Name', minLength: 1, maxLength: 200 } },
  required: ['name'],
};
const PAGE = 'https://example.com/confirm';
const MOST_TOKENS = 100;

/** Tools that ask the client: for a form, for a visit, for the model, for its roots. */
export function addAskingTools(server: Server): void {
  server.tool('ask_form', { description: 'Asks the user for a name in a form', input: NOTHING }, async (_, { ask }) => {
    const { action, content } = await ask.elicit({ message: 'What is your name?', schema: FORM });
    return action === 'accept' ? `Hello, ${content['name']}` : `The user chose to ${action}`;
  });
  server.tool('ask_url', { description: 'Asks the user to visit a page', input: NOTHING }, async (_, { ask }) => {
    const { action } = await ask.elicitUrl({ message: 'Please confirm in your browser', url: PAGE });
    return `The user chose to ${action}`;
  });
  server.tool('ask_model', { description: 'Asks the model for a greeting', input: NOTHING }, async (_, { ask }) => {
    const question = { role: 'user', content: { type: 'text', text: 'Greet me in one word' } } as const;
    const { content, model } = await ask.sample({ messages: [question], maxTokens: MOST_TOKENS });
    const [block] = Array.isArray(content) ? content : [content];
    return `${model} said: ${block?.type === 'text' ? block.text : 'nothing in words'}`;
  });
  server.tool('ask_roots', { description: 'Asks the client for its roots', input: NOTHING }, async (_, { ask }) => {
    const roots = await ask.roots();
    return roots.length === 0 ? 'There are no roots' : roots.map(({ uri }) => uri).join('\n');
  });
}
