import { after } from '../catalog/eventually.ts';
import type { Policy } from '../core/dispatch.ts';
import type { Turn } from '../core/turn.ts';
import { Fault } from '../model/fault.ts';
import type { Content, ToolResult } from '../model/items.ts';
import { type Eventually, isObject, type Json, type JsonObject } from '../model/json.ts';
import type { Answer, Ask, Operation, Verb } from '../model/verbs.ts';
import { expand, referencesIn } from '../providers/packs/context/references.ts';
import { CONTEXT_LIMITS, type ContextShelf, nameProblem } from '../providers/packs/context/shelf.ts';

/** The argument every tool takes besides its own: where to store what comes of the call. */
const SAVE_AS = 'saveAs';

/** Replaces `@name` in the arguments of every tool, and stores results under the name a call asks for. */
export function context(shelf: ContextShelf): Policy {
  return (next) =>
    <V extends Verb>(operation: Operation<V>, turn: Turn): Eventually<Answer<V>> => {
      if (operation.verb !== 'tools.call') return next(operation, turn);
      const ask = operation.ask as Ask<'tools.call'>;
      const run = (input: JsonObject) => next({ verb: 'tools.call', ask: { ...ask, input } } as Operation<V>, turn);
      return prepared(shelf, ask, { turn, run: run as Calling['run'] }) as Eventually<Answer<V>>;
    };
}

interface Calling {
  readonly turn: Turn;
  run(input: JsonObject): Eventually<Answer<'tools.call'>>;
}

function prepared(shelf: ContextShelf, { name, input }: Ask<'tools.call'>, { turn, run }: Calling) {
  const { [SAVE_AS]: saveAs, ...rest } = input;
  const problem = saveAs === undefined ? undefined : nameProblem(saveAs);
  if (problem !== undefined) throw badArguments(name, problem);
  const given = saveAs === undefined ? input : rest;
  const names = referencesIn(given);
  const filled = names === undefined ? given : fill(shelf, { name, input: given, names }, turn);
  const result = after(filled, run);
  return saveAs === undefined
    ? result
    : after(result, (answer) => save(shelf, { saveAs: String(saveAs), answer }, turn));
}

interface Filling {
  readonly name: string;
  readonly input: JsonObject;
  readonly names: ReadonlySet<string>;
}

async function fill(shelf: ContextShelf, { name, input, names }: Filling, turn: Turn): Promise<JsonObject> {
  const values = new Map<string, Json>();
  for (const reference of names) {
    const stored = await shelf.get(turn, reference);
    if (stored === undefined) {
      throw badArguments(name, `nothing is stored as "@${reference}"; write "@@${reference}" for the text itself`);
    }
    values.set(reference, stored.data);
  }
  return expand(input, { values, most: CONTEXT_LIMITS.expanded }) as JsonObject;
}

function badArguments(name: string, issue: string): Fault {
  return new Fault('E_BAD_ARGUMENTS', `Invalid arguments for tool "${name}": ${issue}`, {
    data: { name, issues: [issue] },
  });
}

interface Saving {
  readonly saveAs: string;
  readonly answer: Answer<'tools.call'>;
}

/** A result that cannot be stored is still the result: it comes with a warning. */
async function save(shelf: ContextShelf, { saveAs, answer }: Saving, turn: Turn): Promise<Answer<'tools.call'>> {
  if ('task' in answer || answer.failed === true) return answer;
  try {
    await shelf.put(turn, saveAs, { data: storable(answer), description: 'Saved result' });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return noted(answer, { contextWarning: error.message });
  }
  return noted(answer, { savedToContext: { contextName: saveAs, message: `Saved as "@${saveAs}"` } });
}

/** The structured result, or the text, as the value it holds where it is JSON. */
function storable({ structured, content }: ToolResult): Json {
  if (structured !== undefined) return structured;
  const [only, another] = content;
  if (only?.type !== 'text' || another !== undefined) return content as unknown as Json;
  try {
    const value = JSON.parse(only.text) as Json;
    return isObject(value) || Array.isArray(value) ? value : only.text;
  } catch {
    return only.text;
  }
}

/** Beside the result, never in it: it must go on fitting what its tool declares. */
function noted(result: ToolResult, note: JsonObject): ToolResult {
  const block: Content = { type: 'text', text: JSON.stringify(note) };
  return { ...result, content: [...result.content, block], _meta: { ...result._meta, ...note } };
}
