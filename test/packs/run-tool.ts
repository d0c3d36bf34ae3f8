import assert from 'node:assert/strict';
import type { Provider } from '../../src/catalog/provider.ts';
import type { Call } from '../../src/model/call.ts';
import { Fault } from '../../src/model/fault.ts';
import type { ToolResult } from '../../src/model/items.ts';
import type { JsonObject } from '../../src/model/json.ts';

/** Runs a tool of a pack the way the core does: the input is checked first. */
export async function runTool(
  pack: Provider,
  { name, input }: { name: string; input: JsonObject },
  signal: AbortSignal = new AbortController().signal,
): Promise<ToolResult> {
  const { tools = [] } = await pack.load();
  const entry = tools.find(({ tool }) => tool.name === name);
  assert.ok(entry, `the pack has a tool "${name}"`);
  const checked = (await entry.checkInput?.(input)) ?? { ok: true as const, value: input };
  if (!checked.ok) throw new Fault('E_BAD_ARGUMENTS', checked.issues.join('; '));
  return entry.run(checked.value, { signal } as Call);
}

/** The text of a result that is text alone. */
export function textIn({ content: [first, ...rest] }: ToolResult): string {
  assert.ok(first?.type === 'text' && rest.length === 0, 'the result is one text');
  return first.text;
}
