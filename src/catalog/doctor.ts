import { Fault } from '../model/fault.ts';
import type { Content, ToolResult } from '../model/items.ts';
import { isObject, type Json } from '../model/json.ts';
import { contentProblem } from './content.ts';
import { plainJson } from './plain-json.ts';

/**
 * Makes a result fit to be sent: JSON that was encoded twice is decoded once, and what no client could read becomes a
 * failure that says so. A result that is sound comes back as the same object.
 */
export function doctorResult(result: unknown): ToolResult {
  const problem = problemOf(result);
  if (problem !== undefined) return failure(problem);
  const sound = result as ToolResult;
  const content = sound.content.map(doctorBlock);
  return content.some((block, index) => block !== sound.content[index]) ? { ...sound, content } : sound;
}

/** The JSON inside a text that is a JSON string of an object or array, without its spaces; `undefined` for any other. */
export function encodedTwice(text: string): string | undefined {
  // Most texts are none: a JSON string begins with a quote.
  if (!/^\s*"/.test(text)) return undefined;
  const inner = parsed(text);
  if (typeof inner !== 'string' || !/^\s*[[{]/.test(inner)) return undefined;
  const value = parsed(inner);
  return typeof value === 'object' && value !== null ? compact(inner) : undefined;
}

/** The result in place of one that cannot be sent. */
function failure(problem: string): ToolResult {
  const text = JSON.stringify({ success: false, error: `Invalid response format: ${problem}` });
  return { content: [{ type: 'text', text }], failed: true };
}

function doctorBlock(block: Content): Content {
  if (block.type !== 'text') return block;
  const text = encodedTwice(block.text);
  return text === undefined ? block : { ...block, text };
}

function problemOf(result: unknown): string | undefined {
  if (!isObject(result)) return 'the result is not an object';
  const { content, structured, failed } = result as Readonly<Record<string, unknown>>;
  if (!Array.isArray(content)) return '"content" is not an array';
  if (failed !== undefined && typeof failed !== 'boolean') return '"isError" is not true or false';
  const bad = content.findIndex((block) => contentProblem(block) !== undefined);
  if (bad >= 0) return `content block ${bad} ${contentProblem(content[bad])}`;
  return structured === undefined ? undefined : jsonProblem(structured);
}

function jsonProblem(value: unknown): string | undefined {
  try {
    plainJson(value);
    return undefined;
  } catch (error) {
    return error instanceof Fault ? error.message : 'the structured result cannot be written as JSON';
  }
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Takes the spaces out between the tokens and leaves every token as it is written, so that no number loses a digit. */
function compact(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (token) => (token.startsWith('"') ? token : ''));
}
