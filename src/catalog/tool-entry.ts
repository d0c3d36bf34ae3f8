import type { Call } from '../model/call.ts';
import { isolateOf } from '../model/isolate.ts';
import type { Tool } from '../model/items.ts';
import type { Eventually, JsonObject } from '../model/json.ts';
import { checkRate } from '../model/rate.ts';
import type { TaskSupport } from '../model/tasks.ts';
import { type ReadOptions, type ReadSchema, readSchema, type SchemaSource } from '../schema/standard.ts';
import { checkHandler, needing, present } from './entries.ts';
import { after, all, isPromise } from './eventually.ts';
import type { ToolBounds, ToolEntry } from './provider.ts';
import { resultOf } from './result.ts';
import type { ToolSpec } from './specs.ts';
import { checkInputSchema } from './tool-rules.ts';

export interface ToolParts extends ToolSpec<SchemaSource | undefined, SchemaSource | undefined> {
  readonly handler: (input: never, call: Call) => unknown;
}

const ANY_OBJECT: JsonObject = Object.freeze({ type: 'object' });

/** Makes the entry of a tool, and makes it anew on a change; a schema that stays the same is not read again. */
export function toolMaker(
  name: string,
  { late }: Pick<ReadOptions, 'late'> = {},
): (parts: ToolParts) => Eventually<ToolEntry> {
  const reads = {
    input: reader(name, { side: 'input', late }),
    output: reader(name, { side: 'output', late }),
  };
  return (parts) => {
    checkHandler('tool', name, parts.handler);
    checkBounds(name, parts);
    const schemas = all([reads.input(parts.input), reads.output(parts.output)]);
    return after(schemas, ([input, output]) => toolEntry(name, parts, { input, output }));
  };
}

function checkBounds(name: string, { deadlineMs, rate, concurrency }: ToolParts): void {
  for (const [member, value] of Object.entries({ deadlineMs, concurrency })) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0)) {
      throw new RangeError(`Cannot add tool "${name}": ${member} must be a positive integer`);
    }
  }
  if (rate !== undefined) checkRate(rate, `Cannot add tool "${name}"`);
}

function reader(
  name: string,
  options: ReadOptions,
): (source: SchemaSource | undefined) => Eventually<ReadSchema | undefined> {
  let last: { source: SchemaSource; read: Eventually<ReadSchema> } | undefined;
  return (source) => {
    if (source === undefined) return undefined;
    if (last !== undefined && last.source === source) return last.read;
    const read = after(readSchema(source, options), (schema) => {
      if (options.side === 'input') checkInputSchema(name, schema.json);
      return schema;
    });
    // Whoever loads is told of a failure; until then it is nobody's.
    if (isPromise(read)) read.catch(() => {});
    last = { source, read };
    return read;
  };
}

function toolEntry(
  name: string,
  parts: ToolParts,
  { input, output }: { input: ReadSchema | undefined; output: ReadSchema | undefined },
): ToolEntry {
  const { title, description, annotations, icons, meta, deadlineMs, rate, concurrency, task, handler } = parts;
  const isolate = isolateOf(parts.isolate, `Cannot add tool "${name}"`);
  const bounds = present<ToolBounds>({ rate: rate === undefined ? undefined : { ...rate }, concurrency });
  const run = handler as (input: unknown, call: Call) => unknown;
  return {
    tool: present<Tool>({
      name,
      title,
      description,
      inputSchema: input?.json ?? ANY_OBJECT,
      outputSchema: output?.json,
      annotations,
      icons: icons === undefined ? undefined : [...icons],
      execution: task === undefined ? undefined : { taskSupport: supportOf(name, task) },
      _meta: meta,
    }),
    ...needing(name, parts),
    ...(input === undefined ? {} : { checkInput: input.check }),
    ...(output === undefined ? {} : { checkOutput: output.check }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(Object.keys(bounds).length === 0 ? {} : { bounds: Object.freeze(bounds) }),
    ...(typeof task === 'object' && task.starts === 'released' ? { startsReleased: true } : {}),
    ...(isolate === undefined ? {} : { isolate }),
    run: (value, call) => after(run(value, call), (returned) => resultOf(returned, output !== undefined)),
  };
}

function supportOf(name: string, task: NonNullable<ToolParts['task']>): TaskSupport {
  const support = typeof task === 'object' ? task.support : task;
  if (support === 'optional' || support === 'required') return support;
  throw new TypeError(`Cannot add tool "${name}": task must be "optional" or "required"`);
}
