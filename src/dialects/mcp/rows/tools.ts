import type { Tool, ToolResult } from '../../../model/items.ts';
import { isObject, type JsonObject } from '../../../model/json.ts';
import { isTicket, type TaskTicket } from '../../../model/tasks.ts';
import type { Ask } from '../../../model/verbs.ts';
import type { Codec, Row } from '../revision.ts';
import { type ContentType, readContent, writeContent } from './content.ts';
import { readFresh, writeFresh } from './lifecycle.ts';
import { maybeObject, maybeText, pick, readObject, readObjects, readText, wrong } from './read.ts';
import { asObjectSchema, withoutBooleanProperties } from './schemas.ts';

export const pageAsk: Codec<{ cursor?: string }> = {
  read: (wire) => maybeText(wire, 'cursor'),
  write: ({ cursor }) => (cursor === undefined ? {} : { cursor }),
};

export interface ToolWords {
  /** The members of a tool this revision knows. */
  fields: string[];
  /** Whether an output schema may have any root, or must be an object. */
  outputRoot?: 'object' | 'any';
  /** Whether a property may be described by a boolean. */
  booleanProperties: boolean;
  /** Whether lists say how long they keep. */
  keeps: boolean;
}

export function toolsList(says: ToolWords): Row<'tools.list'> {
  return {
    verb: 'tools.list',
    says: { ...says },
    kept: true,
    ask: pageAsk,
    answer: {
      read: (wire) => ({
        tools: readObjects(wire, 'tools').map(readTool),
        ...readNext(wire),
        ...readFresh(wire),
      }),
      write: ({ tools, next, fresh }) => ({
        tools: tools.map((tool) => writeTool(tool, says)),
        ...writeNext(next),
        ...(says.keeps ? writeFresh(fresh) : {}),
      }),
    },
  };
}

export interface ResultWords {
  content: ContentType[];
  structured: 'none' | 'object' | 'any';
}

/** How a revision says that the result comes later. */
export interface TicketWords {
  readonly name: string;
  /** What a call says about wanting one. */
  wish(wire: JsonObject): Ask<'tools.call'>['task'];
  /** `undefined` when the result is none. */
  read(wire: JsonObject): TaskTicket | undefined;
  write(ticket: TaskTicket): JsonObject;
}

export function toolsCall(says: ResultWords, ticket?: TicketWords): Row<'tools.call'> {
  return {
    verb: 'tools.call',
    named: 'name',
    says: { ...says, ...(ticket === undefined ? {} : { ticket: ticket.name }) },
    asks: true,
    ask: {
      read(wire) {
        const name = readText(wire, 'name');
        const input = wire['arguments'] === undefined ? {} : readObject(wire, 'arguments');
        const task = ticket?.wish(wire);
        return task === undefined ? { name, input } : { name, input, task };
      },
      write: ({ name, input, task }) => ({
        name,
        arguments: input,
        ...(task === undefined ? {} : { task: task.ttlMs === undefined ? {} : { ttl: task.ttlMs } }),
      }),
    },
    answer: {
      read: (wire) => ticket?.read(wire) ?? readResult(wire),
      write(answer) {
        if (!isTicket(answer)) return writeResult(answer, says);
        if (ticket === undefined) throw new TypeError('A ticket cannot be said in this revision');
        return ticket.write(answer);
      },
    },
  };
}

export function readNext(wire: JsonObject): { next?: string } {
  const { nextCursor } = maybeText(wire, 'nextCursor');
  return nextCursor === undefined ? {} : { next: nextCursor };
}

export function writeNext(next: string | undefined): JsonObject {
  return next === undefined ? {} : { nextCursor: next };
}

function readTool(wire: JsonObject): Tool {
  readText(wire, 'name');
  if (!isObject(wire['inputSchema'])) throw wrong('inputSchema', 'an object');
  return wire as unknown as Tool;
}

function writeTool(tool: Tool, { fields, outputRoot, booleanProperties }: ToolWords): JsonObject {
  const wire = pick(tool, fields);
  if (!booleanProperties) wire['inputSchema'] = withoutBooleanProperties(tool.inputSchema);
  if (outputRoot === 'object' && tool.outputSchema !== undefined) {
    wire['outputSchema'] = withoutBooleanProperties(asObjectSchema(tool.outputSchema));
  }
  return wire;
}

export function readResult(wire: JsonObject): ToolResult {
  const result: ToolResult = {
    content: readContent(wire['content'] === undefined ? [] : readObjects(wire, 'content')),
  };
  if (wire['structuredContent'] !== undefined) result.structured = wire['structuredContent'];
  if (wire['isError'] === true) result.failed = true;
  const { _meta } = maybeObject(wire, '_meta');
  if (_meta !== undefined) result._meta = _meta;
  return result;
}

export function writeResult({ content, structured, failed, loose, _meta }: ToolResult, says: ResultWords): JsonObject {
  const wire: JsonObject = { content: writeContent(content, says.content) };
  if (structured !== undefined && says.structured !== 'none') {
    const wrapped = says.structured === 'object' && (loose === true || !isObject(structured));
    wire['structuredContent'] = wrapped ? { result: structured } : structured;
  }
  if (failed === true) wire['isError'] = true;
  if (_meta !== undefined) wire['_meta'] = _meta;
  return wire;
}
