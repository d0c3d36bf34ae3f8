import type { Content, Prompt, PromptMessage, Role } from '../../../model/items.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { CompletionRef } from '../../../model/verbs.ts';
import type { Row } from '../revision.ts';
import { type ContentType, writeBlock } from './content.ts';
import { readFresh, writeFresh } from './lifecycle.ts';
import {
  maybeObject,
  maybeText,
  pick,
  readArray,
  readObject,
  readObjects,
  readStrings,
  readText,
  wrong,
} from './read.ts';
import type { ListWords } from './resources.ts';
import { pageAsk, readNext, writeNext } from './tools.ts';

export function promptsList(says: ListWords & { argument: string[] }): Row<'prompts.list'> {
  const write = ({ arguments: declared, ...prompt }: Prompt): JsonObject => ({
    ...pick(prompt, says.fields),
    ...(declared === undefined ? {} : { arguments: declared.map((argument) => pick(argument, says.argument)) }),
  });
  return {
    verb: 'prompts.list',
    says: { ...says },
    kept: true,
    ask: pageAsk,
    answer: {
      read: (wire) => ({
        prompts: readObjects(wire, 'prompts').map(readPrompt),
        ...readNext(wire),
        ...readFresh(wire),
      }),
      write: ({ prompts, next, fresh }) => ({
        prompts: prompts.map(write),
        ...writeNext(next),
        ...(says.keeps ? writeFresh(fresh) : {}),
      }),
    },
  };
}

export function promptsGet(says: { content: ContentType[] }): Row<'prompts.get'> {
  return {
    verb: 'prompts.get',
    named: 'name',
    says,
    asks: true,
    ask: {
      read: (wire) => ({ name: readText(wire, 'name'), input: readStrings(wire, 'arguments') }),
      write: ({ name, input }) => ({ name, arguments: input }),
    },
    answer: {
      read: (wire) => ({
        ...maybeText(wire, 'description'),
        messages: readObjects(wire, 'messages').map(readMessage),
        ...maybeObject(wire, '_meta'),
      }),
      write: ({ description, messages, _meta }) => ({
        ...(description === undefined ? {} : { description }),
        messages: messages.map(({ role, content }) => ({ role, content: writeBlock(content, says.content) })),
        ...(_meta === undefined ? {} : { _meta }),
      }),
    },
  };
}

/** Suggests values for an argument; `context` says whether the values already chosen ride along. */
export function complete(says: { context: boolean }): Row<'complete'> {
  return {
    verb: 'complete',
    says,
    ask: {
      read(wire) {
        const argument = readObject(wire, 'argument');
        const known = says.context ? readStrings(maybeObject(wire, 'context').context ?? {}, 'arguments') : {};
        return {
          ref: readRef(readObject(wire, 'ref')),
          argument: { name: readText(argument, 'name'), value: readText(argument, 'value') },
          ...(Object.keys(known).length === 0 ? {} : { known }),
        };
      },
      write: ({ ref, argument, known }) => ({
        ref: ref.type === 'prompt' ? { type: 'ref/prompt', name: ref.name } : { type: 'ref/resource', uri: ref.uri },
        argument,
        ...(known === undefined || !says.context ? {} : { context: { arguments: known } }),
      }),
    },
    answer: {
      read(wire) {
        const { values, total, hasMore } = readObject(wire, 'completion');
        return {
          values: readArray({ values }, 'values').map(String),
          ...(typeof total === 'number' ? { total } : {}),
          ...(typeof hasMore === 'boolean' ? { more: hasMore } : {}),
        };
      },
      write: ({ values, total, more }) => ({
        completion: {
          values: [...values],
          ...(total === undefined ? {} : { total }),
          ...(more === undefined ? {} : { hasMore: more }),
        },
      }),
    },
  };
}

function readRef(wire: JsonObject): CompletionRef {
  switch (wire['type']) {
    case 'ref/prompt':
      return { type: 'prompt', name: readText(wire, 'name') };
    case 'ref/resource':
      return { type: 'resource', uri: readText(wire, 'uri') };
    default:
      throw wrong('ref.type', '"ref/prompt" or "ref/resource"');
  }
}

function readPrompt(wire: JsonObject): Prompt {
  readText(wire, 'name');
  return wire as unknown as Prompt;
}

function readMessage(wire: JsonObject): PromptMessage {
  const content = readObject(wire, 'content') as unknown as Content;
  return { role: readText(wire, 'role') as Role, content };
}
