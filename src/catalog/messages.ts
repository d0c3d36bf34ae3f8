import { Fault } from '../model/fault.ts';
import type { Content, PromptMessage } from '../model/items.ts';
import { isObject } from '../model/json.ts';
import type { Answer } from '../model/verbs.ts';
import { contentProblem } from './content.ts';
import { plainJson } from './plain-json.ts';

/** The messages a prompt handler's return value stands for; a bare text is said by the user. */
export function messagesOf(value: unknown): Answer<'prompts.get'> {
  if (!isObject(value) || value['messages'] === undefined) return { messages: messageList(value) };
  const { messages, description, _meta: meta } = value as Readonly<Record<string, unknown>>;
  if (!Array.isArray(messages)) throw unfit('"messages" must be a list');
  if (description !== undefined && typeof description !== 'string') throw unfit('"description" must be a text');
  if (meta !== undefined && !isObject(meta)) throw unfit('"_meta" must be an object');
  const answer: Answer<'prompts.get'> = { messages: messageList(messages) };
  if (description !== undefined) answer.description = description;
  if (meta !== undefined) answer._meta = plainJson(meta) as NonNullable<Answer<'prompts.get'>['_meta']>;
  return answer;
}

function messageList(value: unknown): PromptMessage[] {
  return Array.isArray(value) ? value.map(messageOf) : [messageOf(value, 0)];
}

function messageOf(value: unknown, index: number): PromptMessage {
  if (typeof value === 'string') return { role: 'user', content: { type: 'text', text: value } };
  if (!isObject(value)) throw unfit(`message ${index} must be a text or an object with "role" and "content"`);
  const { role, content } = value;
  if (role !== 'user' && role !== 'assistant') throw unfit(`message ${index} needs the role "user" or "assistant"`);
  if (typeof content === 'string') return { role, content: { type: 'text', text: content } };
  const problem = contentProblem(content);
  if (problem !== undefined) throw unfit(`the content of message ${index} ${problem}`);
  return { role, content: plainJson(content) as unknown as Content };
}

function unfit(why: string): Fault {
  return new Fault('E_BAD_RESULT', `Bad prompt messages: ${why}`);
}
