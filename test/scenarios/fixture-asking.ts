import type { JsonObject } from '../../src/model/json.ts';
import { type Fixture, SECRET } from './fixture-behind.ts';

export const NAME_FORM: JsonObject = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 2 }, age: { type: 'integer', minimum: 0 } },
  required: ['name'],
};

/** Tools, a resource and a prompt that ask the client first. */
export function addAskingTools(fixture: Fixture): void {
  addForms(fixture);
  addRounds(fixture);
  addOthers(fixture);
}

function addForms({ server }: Fixture): void {
  server.tool('greet', {}, async (_, { ask }) => {
    const { action, content } = await ask.elicit({ message: 'Who are you?', schema: NAME_FORM });
    return action === 'accept' ? `Hello, ${content['name']}` : `You chose to ${action}`;
  });
  server.tool('choose', {}, async (_, { ask }) => {
    const schema = {
      type: 'object',
      properties: { fruits: { type: 'array', items: { type: 'string', enum: ['apple', 'pear'] } } },
    };
    const { content } = await ask.elicit({ message: 'Which?', schema });
    return JSON.stringify(content);
  });
  server.tool('visit', {}, async (_, { ask }) => {
    const { action } = await ask.elicitUrl({ message: 'Sign in', url: 'https://example.org/sign-in' });
    return action;
  });
  server.resource('asked', 'test://asked', {}, async (_, { ask }) => {
    const { action } = await ask.elicit({ message: 'May I?', schema: { type: 'object', properties: {} } });
    return action;
  });
  server.prompt('asked', {}, async (_, { ask }) => {
    const { action } = await ask.elicit({ message: 'May I?', schema: { type: 'object', properties: {} } });
    return action;
  });
}

function addRounds({ server, count, waitAt }: Fixture): void {
  const form = (key: string) => ({
    message: key,
    key,
    schema: { type: 'object', properties: { value: { type: 'string' } } },
  });
  server.tool('both', {}, async (_, { ask }) => {
    const [left, right] = await Promise.all([ask.elicit(form('left')), ask.elicit(form('right'))]);
    return `${left.content?.['value']} and ${right.content?.['value']}`;
  });
  server.tool('rounds', {}, async (_, call) => {
    const { ask } = call;
    const first = await ask.elicit({ message: 'first', schema: NAME_FORM });
    const paid = await call.once('pay', () => count('pay'));
    const second = await ask.elicit({ message: 'second', schema: NAME_FORM });
    return `${first.content?.['name']}, ${second.content?.['name']}, paid ${paid}`;
  });
  server.tool('hasty', {}, async (_, call) => {
    const paying = call.once('pay', async () => {
      const paid = count('pay');
      await waitAt('paying');
      return paid;
    });
    const { content } = await call.ask.elicit({ message: 'Who?', schema: NAME_FORM });
    return `${content?.['name']} paid ${await paying}`;
  });
  server.tool('endless', {}, async (_, { ask }) => {
    for (let round = 0; ; round += 1) await ask.elicit(form(`round ${round}`));
  });
  server.tool('forgets', {}, async (_, { ask }) => {
    void ask.roots();
    await waitAt('forgetting');
    return 'forgot';
  });
  server.tool('pays-badly', {}, async (_, call) => {
    const paying = call.once('pay', async () => {
      throw new Error(`${SECRET} ${count('pay')}`);
    });
    await call.ask.elicit({ message: 'Who?', schema: NAME_FORM });
    return `paid ${await paying}`;
  });
  server.tool('swallows', {}, async (_, { ask }) => {
    try {
      await ask.elicit(form('caught'));
    } catch {
      return 'nobody answered';
    }
    return 'answered';
  });
}

function addOthers({ server }: Fixture): void {
  const question = { role: 'user', content: { type: 'text', text: 'Why?' } } as const;
  server.tool('ponder', {}, async (_, { ask }) => {
    const { content, model } = await ask.sample({ messages: [question], maxTokens: 10, systemPrompt: 'Be brief' });
    return `${model}: ${JSON.stringify(content)}`;
  });
  server.tool('ponder-with-tools', {}, async (_, { ask }) => {
    const tools = [{ name: 'look', inputSchema: { type: 'object' } }];
    const { stopReason } = await ask.sample({
      messages: [question],
      maxTokens: 10,
      tools,
      toolChoice: { mode: 'auto' },
    });
    return String(stopReason);
  });
  server.tool(
    'ponder-results',
    { input: { type: 'object', properties: { how: { type: 'string' } }, required: ['how'] } },
    async ({ how }, { ask }) => {
      const use = { type: 'tool_use', id: 'u1', name: 'look', input: {} } as const;
      const result = { type: 'tool_result', toolUseId: 'u1', content: [] } as const;
      const other = { type: 'text', text: 'and' } as const;
      const last = how === 'mixed' ? [result, other] : how === 'missing' ? [other] : [result];
      const messages = [
        question,
        { role: 'assistant', content: [use] } as const,
        { role: 'user', content: last } as const,
      ];
      const { model } = await ask.sample({
        messages: messages as never,
        maxTokens: 10,
        tools: [{ name: 'look', inputSchema: { type: 'object' } }],
      });
      return model;
    },
  );
  server.tool('where', {}, async (_, { ask }) => {
    const roots = await ask.roots();
    return roots.map(({ uri }) => uri).join();
  });
}
