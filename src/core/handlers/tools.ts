import type { Catalog } from '../../catalog/catalog.ts';
import { after } from '../../catalog/eventually.ts';
import type { ToolEntry } from '../../catalog/provider.ts';
import { Fault } from '../../model/fault.ts';
import type { ToolResult } from '../../model/items.ts';
import type { Eventually } from '../../model/json.ts';
import type { Answer, Ask } from '../../model/verbs.ts';
import { attempt } from '../attempt.ts';
import type { Turn } from '../turn.ts';

/** Finds the tool, checks what goes in, runs it, and checks what comes out. */
export function callTool(
  catalog: Catalog,
  { name, input, task }: Ask<'tools.call'>,
  turn: Turn,
): Eventually<Answer<'tools.call'>> {
  const entry = catalog.findTool(name);
  if (entry === undefined) throw new Fault('E_UNKNOWN_TOOL', `Unknown tool: "${name}"`, { data: { name } });
  const wish = catalog.offers.tasks ? task : undefined;
  const go = entry.tool.execution === undefined && wish === undefined ? run : deferring(wish);
  if (entry.checkInput === undefined) return go(entry, input, turn);
  return after(entry.checkInput(input), (checked) => {
    if (checked.ok) return go(entry, checked.value, turn);
    const issues = [...checked.issues];
    throw new Fault('E_BAD_ARGUMENTS', `Invalid arguments for tool "${name}": ${issues.join('; ')}`, {
      data: { name, issues },
    });
  });
}

/** Runs a tool as a task where that is wanted, and as any other where it is not. */
function deferring(wish: Ask<'tools.call'>['task']) {
  return (entry: ToolEntry, input: unknown, turn: Turn): Eventually<Answer<'tools.call'>> => {
    const { tool, startsReleased = false } = entry;
    const declared = tool.execution?.taskSupport;
    const support = declared === 'forbidden' ? undefined : declared;
    const work = () => run(entry, input, turn);
    return turn.defer({ name: tool.name, support, wish, startsReleased, run: work }) ?? work();
  };
}

function run(entry: ToolEntry, input: unknown, turn: Turn): Eventually<ToolResult> {
  const result = attempt(
    () => entry.run(input, turn),
    (error) => (error instanceof Fault ? error : toolFailed(entry, error)),
  );
  return entry.checkOutput === undefined ? result : after(result, (given) => checkOutput(entry, given));
}

function toolFailed({ tool }: ToolEntry, cause: unknown): Fault {
  return new Fault('E_INTERNAL', `Tool "${tool.name}" failed: internal error`, { cause });
}

function checkOutput(entry: ToolEntry, result: ToolResult): Eventually<ToolResult> {
  if (result.failed === true || entry.checkOutput === undefined) return result;
  return after(entry.checkOutput(result.structured), (checked) => {
    if (!checked.ok) throw badOutput(entry, checked.issues);
    return entry.tool.outputSchema?.['type'] === 'object' ? result : { ...result, loose: true };
  });
}

function badOutput({ tool }: ToolEntry, issues: readonly string[]): Fault {
  return new Fault('E_BAD_RESULT', `Tool "${tool.name}" returned a result that does not fit its output schema`, {
    cause: new TypeError(issues.join('; ')),
  });
}
