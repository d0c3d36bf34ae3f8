import { createInterface } from 'node:readline/promises';
import type { Questioned, Value, Values } from '../host/client.ts';
import { type Terminal, UsageError } from './command.ts';
import { choicesOf, readValue } from './values.ts';

type Answer = Awaited<ReturnType<NonNullable<Questioned['elicit']>>>;
type Form = Parameters<NonNullable<Questioned['elicit']>>[0];

/** Puts one question to the person; `undefined` when there is no more input. */
export type Prompter = (question: string) => Promise<string | undefined>;

/** Answers a server's questions by asking the person at the terminal; where there is none, by declining. */
export function createAnswerers(terminal: Terminal, server: () => string): Questioned {
  const here = process.stdin.isTTY === true && process.stderr.isTTY === true;
  const declined = (message: string): { action: 'decline' } => {
    terminal.say(`${server()} asks: ${message}\nDeclined: nobody is at a terminal to answer`);
    return { action: 'decline' };
  };
  return {
    elicit(form, { signal }) {
      if (!here) return declined(form.message);
      return withPrompter(signal, (prompt) => interview(form, { server: server(), terminal, prompt }));
    },
    elicitUrl({ message, url }, { signal }) {
      if (!here) return declined(`${message} (${url})`);
      return withPrompter(signal, (prompt) => visit({ message, url }, { server: server(), terminal, prompt }));
    },
  };
}

export interface Asking {
  readonly server: string;
  readonly terminal: Terminal;
  readonly prompt: Prompter;
}

/** Asks for every field of a form, one after the other. */
export async function interview({ message, schema }: Form, { server, terminal, prompt }: Asking): Promise<Answer> {
  terminal.say(`${server} asks: ${message}`);
  const consent = await prompt('Answer? [y]es, [n]o: ');
  if (consent === undefined) return { action: 'cancel' };
  if (!/^y/i.test(consent)) return { action: 'decline' };
  const content: Values = {};
  for (const [name, property] of Object.entries((schema['properties'] ?? {}) as Record<string, Values>)) {
    const required = Array.isArray(schema['required']) && schema['required'].includes(name);
    const value = await askField({ name, property, required, root: schema }, { terminal, prompt });
    if (value === CANCELLED) return { action: 'cancel' };
    if (value !== undefined) content[name] = value;
  }
  return { action: 'accept', content: content as NonNullable<Answer['content']> };
}

/** Shows a URL and asks whether the person did what it is for; it is never opened here. */
export async function visit(
  { message, url }: { message: string; url: string },
  { server, terminal, prompt }: Asking,
): Promise<{ action: 'accept' | 'decline' | 'cancel' }> {
  terminal.say(`${server} asks: ${message}\nOpen this address yourself if you trust it:\n  ${url}`);
  const consent = await prompt('Go on? [y]es, [n]o: ');
  if (consent === undefined) return { action: 'cancel' };
  return { action: /^y/i.test(consent) ? 'accept' : 'decline' };
}

const CANCELLED = Symbol('cancelled');

interface Field {
  readonly name: string;
  readonly property: Values;
  readonly required: boolean;
  readonly root: Values;
}

async function askField(
  field: Field,
  { terminal, prompt }: Pick<Asking, 'terminal' | 'prompt'>,
): Promise<Value | undefined | typeof CANCELLED> {
  for (;;) {
    const text = await prompt(`  ${labelOf(field)}: `);
    if (text === undefined) return CANCELLED;
    const { default: preset } = field.property;
    if (text === '' && (preset !== undefined || !field.required)) return preset;
    try {
      return readValue(text, field);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      terminal.say(`  ${error.message}`);
    }
  }
}

function labelOf({ name, property, required }: Field): string {
  const { title, description, default: preset } = property;
  const choices = choicesOf(property).map(String);
  return [
    typeof title === 'string' ? title : name,
    ...(typeof description === 'string' ? [`– ${description}`] : []),
    ...(choices.length === 0 ? [] : [`(${choices.join(', ')})`]),
    ...(preset === undefined ? [] : [`[${String(preset)}]`]),
    ...(required ? [] : ['(optional)']),
  ].join(' ');
}

/** Reads from the terminal until the work is done or the server does not want the answer any more. */
async function withPrompter<T>(signal: AbortSignal, work: (prompt: Prompter) => Promise<T>): Promise<T> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  const close = (): void => reader.close();
  signal.addEventListener('abort', close, { once: true });
  const closed = new Promise<undefined>((resolve) => {
    reader.once('close', () => resolve(undefined));
  });
  try {
    return await work((question) => Promise.race([reader.question(question), closed]));
  } finally {
    signal.removeEventListener('abort', close);
    reader.close();
  }
}
