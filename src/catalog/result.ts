import { Fault } from '../model/fault.ts';
import type { Content, ToolResult } from '../model/items.ts';
import { isObject, type Json } from '../model/json.ts';
import { contentProblem, isContent } from './content.ts';
import { plainJson } from './plain-json.ts';

const RESULT_KEYS = new Set(['content', 'structuredContent', 'structured', 'isError', 'failed', '_meta']);
type Fields = Readonly<Record<string, unknown>>;

/**
 * The result a tool handler's return value stands for; the only place that decides it.
 * With a declared output every plain value is the structured one; without, text and content blocks are content.
 */
export function resultOf(value: unknown, hasOutput: boolean): ToolResult {
  if (value === undefined || (value === null && !hasOutput)) return { content: [] };
  if (isResult(value, hasOutput)) return fullResult(value);
  if (hasOutput) return structuredResult(value);
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  if (isContent(value)) return { content: [blockOf(value)] };
  if (Array.isArray(value) && value.some(isContent)) return { content: blocksOf(value) };
  return structuredResult(value);
}

/** Holds a `content` list and nothing that no result has; a declared output may have a `content` of its own. */
function isResult(value: unknown, hasOutput: boolean): value is Fields & { content: unknown[] } {
  if (!isObject(value) || !Array.isArray(value['content'])) return false;
  const keys = Object.keys(value);
  if (!keys.every((key) => RESULT_KEYS.has(key))) return false;
  return !hasOutput || keys.length > 1 || (value['content'].length > 0 && value['content'].every(isContent));
}

function fullResult(value: Fields & { content: unknown[] }): ToolResult {
  const structured = value['structured'] === undefined ? value['structuredContent'] : value['structured'];
  const failed = value['failed'] === undefined ? value['isError'] : value['failed'];
  const meta = value['_meta'];
  if (failed !== undefined && typeof failed !== 'boolean') throw unfit('"isError" must be true or false');
  if (meta !== undefined && !isObject(meta)) throw unfit('"_meta" must be an object');
  const result: ToolResult = { content: blocksOf(value.content) };
  if (structured !== undefined) {
    result.structured = plainJson(structured);
    if (result.content.length === 0) result.content.push(jsonText(result.structured));
  }
  if (failed !== undefined) result.failed = failed;
  if (meta !== undefined) result._meta = plainJson(meta) as NonNullable<ToolResult['_meta']>;
  return result;
}

function structuredResult(value: unknown): ToolResult {
  const structured = plainJson(value);
  return { content: [jsonText(structured)], structured };
}

function jsonText(value: Json): Content {
  return { type: 'text', text: JSON.stringify(value) };
}

function blocksOf(values: readonly unknown[]): Content[] {
  return values.map((value, index) => {
    const problem = contentProblem(value);
    if (problem !== undefined) throw unfit(`content block ${index} ${problem}`);
    return blockOf(value as Content);
  });
}

function blockOf(value: Content): Content {
  return plainJson(value) as unknown as Content;
}

function unfit(why: string): Fault {
  return new Fault('E_BAD_RESULT', `Bad result: ${why}`);
}
