import type { Catalog } from '../../catalog/catalog.ts';
import { after, isPromise } from '../../catalog/eventually.ts';
import type { ToolEntry } from '../../catalog/provider.ts';
import { echoed, excerpt } from '../../model/excerpt.ts';
import { Fault } from '../../model/fault.ts';
import type { ToolResult } from '../../model/items.ts';
import type { Eventually } from '../../model/json.ts';
import type { Answer, Ask } from '../../model/verbs.ts';
import { attempt } from '../attempt.ts';
import type { ToolGate } from '../policies/limit.ts';
import { refuseLacking } from '../sight.ts';
import type { Turn } from '../turn.ts';

type CallTool = (catalog: Catalog, ask: Ask<'tools.call'>, turn: Turn) => Eventually<Answer<'tools.call'>>;

/** Finds the tool, checks what goes in, runs it, and checks what comes out. */
export function createCallTool(gate: ToolGate): CallTool {
  return (catalog, ask, turn) => {
    const entry = catalog.findTool(ask.name);
    if (entry === undefined) throw unknownTool(ask.name);
    refuseLacking(entry, ask.name);
    const wish = catalog.offers.tasks ? ask.task : undefined;
    const runs = entry.bounds === undefined ? run : occupying(gate);
    const go = entry.tool.execution === undefined && wish === undefined ? runs : deferring(wish, runs);
    if (entry.bounds === undefined) return checked(entry, ask, { go, turn });
    return after(gate.admit(entry, turn), () => checked(entry, ask, { go, turn }));
  };
}

type Run<A = Answer<'tools.call'>> = (entry: ToolEntry, input: unknown, turn: Turn) => Eventually<A>;

function checked(
  entry: ToolEntry,
  { name, input }: Ask<'tools.call'>,
  { go, turn }: { go: Run; turn: Turn },
): Eventually<Answer<'tools.call'>> {
  if (entry.checkInput === undefined) return go(entry, input, turn);
  const verdict = entry.checkInput(input);
  // Most checks tell at once, and a call has enough of its own to make.
  if (!isPromise(verdict) && verdict.ok) return go(entry, verdict.value, turn);
  return after(verdict, (told) => {
    if (told.ok) return go(entry, told.value, turn);
    const issues = [...told.issues];
    throw new Fault('E_BAD_ARGUMENTS', `Invalid arguments for tool "${name}": ${issues.join('; ')}`, {
      data: { name, issues },
    });
  });
}

/** Runs a tool as a task where that is wanted, and as any other where it is not. */
function deferring(wish: Ask<'tools.call'>['task'], runs: Run<ToolResult>): Run {
  return (entry, input, turn) => {
    const { tool, startsReleased = false } = entry;
    const declared = tool.execution?.taskSupport;
    const support = declared === 'forbidden' ? undefined : declared;
    const work = () => runs(entry, input, turn);
    return turn.defer({ name: tool.name, support, wish, startsReleased, run: work }) ?? work();
  };
}

function occupying(gate: ToolGate): Run<ToolResult> {
  return (entry, input, turn) => gate.occupy(entry, () => run(entry, input, turn));
}

function run(entry: ToolEntry, input: unknown, turn: Turn): Eventually<ToolResult> {
  const result = attempt(
    () => entry.run(input, turn),
    (error) => (Fault.is(error) ? error : toolFailed(entry, error)),
  );
  return entry.checkOutput === undefined ? result : after(result, (given) => checkOutput(entry, given));
}

function unknownTool(name: string): Fault {
  return new Fault('E_UNKNOWN_TOOL', `Unknown tool: "${excerpt(name)}"`, { data: { name: echoed(name) } });
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
