import { createPack, type Server } from '../../../catalog/server.ts';
import type { ToolReply } from '../../../catalog/specs.ts';
import type { Json, JsonObject } from '../../../model/json.ts';
import type { ContextShelf } from './shelf.ts';

const NAME = { type: 'string', minLength: 1, maxLength: 64, description: 'The name' } as const;
const OUTPUT = { type: 'object', properties: { success: { type: 'boolean' } }, required: ['success'] } as const;

/** Tools that put values aside under names, for later calls to refer to as `@name`. */
export function createContext(shelf: ContextShelf): Server {
  const server = createPack({ name: 'context', version: '1.0.0' });
  addAdd(server, shelf);
  server.tool(
    'context_get',
    {
      description: 'Gives back what is stored under a name',
      input: { type: 'object', properties: { name: NAME }, required: ['name'] },
      output: OUTPUT,
      annotations: { readOnlyHint: true },
    },
    async ({ name }, call) => {
      const stored = await shelf.get(call, name);
      return stored === undefined ? failure(`Context '${name}' not found`) : { success: true, name, ...stored };
    },
  );
  addList(server, shelf);
  return server;
}

function addAdd(server: Server, shelf: ContextShelf): void {
  server.tool(
    'context_add',
    {
      description: 'Stores a value under a name; any later text argument "@name" is replaced by it',
      input: {
        type: 'object',
        properties: {
          name: NAME,
          data: { description: 'Any JSON value' },
          description: { type: 'string', maxLength: 1000, description: 'What it is' },
        },
        required: ['name', 'data'],
      },
      output: OUTPUT,
      annotations: { destructiveHint: false, idempotentHint: true },
    },
    async ({ name, data, description }, call) => {
      await shelf.put(call, name, { data: data as Json, ...(description === undefined ? {} : { description }) });
      return { success: true, message: `Context '${name}' is stored`, contextName: name };
    },
  );
}

function addList(server: Server, shelf: ContextShelf): void {
  server.tool(
    'context_list',
    {
      description: 'Lists the names in use',
      input: {
        type: 'object',
        properties: {
          filter: { type: 'string', maxLength: 200, description: 'Only names that hold this text, in any case' },
        },
      },
      output: OUTPUT,
      annotations: { readOnlyHint: true },
    },
    async ({ filter = '' }, call) => {
      const names = await shelf.names(call);
      const wanted = names.filter((name) => name.toLowerCase().includes(filter.toLowerCase()));
      const contexts = await Promise.all(wanted.map(async (name) => [name, await shelf.get(call, name)] as const));
      const known = contexts.flatMap(([name, stored]): JsonObject[] =>
        stored === undefined
          ? []
          : [{ name, description: stored.description, addedAt: stored.addedAt, dataType: typeOf(stored.data) }],
      );
      return { success: true, contexts: known, total: known.length };
    },
  );
}

function failure(error: string): ToolReply<{ success: boolean }> {
  const structured = { success: false, error };
  return { content: [{ type: 'text', text: JSON.stringify(structured) }], structured, failed: true };
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
