import type { Call, Server } from 'parley-mcp';
import { NOTHING, text, textForm } from './content.ts';

const prompted = { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] } as const;
const worded = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] } as const;

const defaults = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'User name', default: 'John Doe' },
    age: { type: 'integer', description: 'User age', default: 30 },
    score: { type: 'number', description: 'User score', default: 95.5 },
    status: {
      type: 'string',
      description: 'User status',
      enum: ['active', 'inactive', 'pending'],
      default: 'active',
    },
    verified: { type: 'boolean', description: 'Whether the user is verified', default: true },
  },
  required: [],
};

const titled = ['1', '2', '3'].map((number) => ({ const: `value${number}`, title: `Option ${number}` }));
const plain = ['option1', 'option2', 'option3'];
const enums = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: plain },
    titledSingle: { type: 'string', oneOf: titled },
    legacyEnum: { type: 'string', enum: plain, enumNames: ['Option One', 'Option Two', 'Option Three'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: plain } },
    titledMulti: { type: 'array', items: { anyOf: titled } },
  },
  required: [],
};

/** Tools that ask the client, in whichever way its revision has for that. */
export function addAskingTools(server: Server): void {
  server.tool(
    'test_sampling',
    { description: 'Asks the model', input: prompted },
    async ({ prompt }, call) => `LLM response: ${await sampled(call, prompt)}`,
  );
  server.tool('test_elicitation', { description: 'Asks the user', input: worded }, ({ message }, call) =>
    elicited(call, message, textForm('username', 'email')),
  );
  server.tool(
    'test_elicitation_sep1034_defaults',
    { description: 'Asks with a form that is filled in already', input: NOTHING },
    (_, call) => elicited(call, 'Please review and update the form fields with defaults', defaults),
  );
  server.tool(
    'test_elicitation_sep1330_enums',
    { description: 'Asks with every kind of choice', input: NOTHING },
    (_, call) => elicited(call, 'Please select options from the enum fields', enums),
  );
  server.tool('test_missing_capability', { description: 'Needs a model', input: NOTHING }, (_, call) =>
    sampled(call, 'Say anything'),
  );
  server.tool('test_streaming_elicitation', { description: 'Needs a user', input: NOTHING }, (_, call) =>
    elicited(call, 'Please confirm', textForm('confirmation')),
  );
}

async function sampled(call: Call, prompt: string): Promise<string> {
  const { content } = await call.ask.sample({ messages: [{ role: 'user', content: text(prompt) }], maxTokens: 100 });
  const [block] = Array.isArray(content) ? content : [content];
  return block?.type === 'text' ? block.text : 'No response';
}

async function elicited(
  call: Call,
  message: string,
  schema: typeof enums | ReturnType<typeof textForm> | typeof defaults,
): Promise<string> {
  const { action, content } = await call.ask.elicit({ message, schema });
  return `User response: action=${action}, content=${JSON.stringify(content ?? {})}`;
}
