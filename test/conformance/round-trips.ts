import type { Call, Server } from 'parley-mcp';
import { NOTHING, text, textForm } from './content.ts';

const PREFIX = 'test_input_required_result';

/** Asks the user for one text; the key is what the suite answers under. */
async function askText(call: Call, key: string, [message, field]: readonly [string, string]): Promise<string> {
  const answer = await call.ask.elicit({ key, message, schema: textForm(field) });
  return answer.action === 'accept' ? String(answer.content[field]) : answer.action;
}

async function askModel(call: Call, key: string, prompt: string): Promise<string> {
  const messages = [{ role: 'user' as const, content: text(prompt) }];
  const { content } = await call.ask.sample({ key, messages, maxTokens: 100 });
  const [block] = Array.isArray(content) ? content : [content];
  return block?.type === 'text' ? block.text : '';
}

async function confirm(call: Call): Promise<boolean> {
  const schema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] };
  const { action } = await call.ask.elicit({ key: 'confirm', message: 'Please confirm', schema });
  return action === 'accept';
}

async function askRoots(call: Call): Promise<string> {
  const roots = await call.ask.roots({ key: 'client_roots' });
  return roots.map(({ uri }) => uri).join(', ');
}

/** Tools and a prompt that need input before they can answer. */
export function addRoundTrips(server: Server): void {
  const tool = (name: string, description: string, run: (call: Call) => Promise<string>): void => {
    server.tool(`${PREFIX}_${name}`, { description, input: NOTHING }, (_, call) => run(call));
  };
  tool(
    'elicitation',
    'Asks for a name',
    async (call) => `Hello, ${await askText(call, 'user_name', ['What is your name?', 'name'])}!`,
  );
  tool('sampling', 'Asks the model', (call) => askModel(call, 'capital_question', 'What is the capital of France?'));
  tool('list_roots', 'Asks for roots', async (call) => `Roots: ${await askRoots(call)}`);
  tool('request_state', 'Keeps state between rounds', async (call) =>
    (await confirm(call)) ? 'Confirmed: state-ok' : 'Not confirmed: state-ok',
  );
  tool('tampered_state', 'Refuses state that was tampered with', async (call) =>
    (await confirm(call)) ? 'Confirmed' : 'Not confirmed',
  );
  tool('multiple_inputs', 'Asks three things at once', async (call) => {
    const [name, greeting, roots] = await Promise.all([
      askText(call, 'user_name', ['What is your name?', 'name']),
      askModel(call, 'greeting', 'Generate a greeting'),
      askRoots(call),
    ]);
    return `${greeting} ${name}, you work in ${roots}`;
  });
  tool('multi_round', 'Asks twice', async (call) => {
    const name = await askText(call, 'step1', ['Step 1: What is your name?', 'name']);
    const color = await askText(call, 'step2', ['Step 2: What is your favorite color?', 'color']);
    return `Hello, ${name}: ${color} it is`;
  });
  tool('capabilities', 'Asks only what the client can answer', async (call) => {
    const { elicitation, sampling } = call.peer.capabilities;
    const answers = await Promise.all([
      ...(elicitation === undefined ? [] : [askText(call, 'user_name', ['What is your name?', 'name'])]),
      ...(sampling === undefined ? [] : [askModel(call, 'greeting', 'Generate a greeting')]),
    ]);
    return `Answers: ${answers.join(', ')}`;
  });
  server.prompt(`${PREFIX}_prompt`, { description: 'Asks for context first' }, async (_, call) => {
    const context = await askText(call, 'user_context', ['What context should the prompt use?', 'context']);
    return `Use this context: ${context}`;
  });
}
