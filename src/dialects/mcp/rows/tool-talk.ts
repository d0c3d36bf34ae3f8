import type { SamplingContent } from '../../../model/items.ts';
import type { SamplingMessage } from '../../../model/peer.ts';

type Use = Extract<SamplingContent, { type: 'tool_use' }>;
type Result = Extract<SamplingContent, { type: 'tool_result' }>;

/**
 * Why a model's client would refuse these messages, if it would: tool results stand alone in their message, and the
 * message after tool uses answers each of them.
 */
export function toolTalkTrouble(messages: readonly SamplingMessage[]): string | undefined {
  let open: readonly string[] = [];
  for (const { content } of messages) {
    const blocks = Array.isArray(content) ? content : [content];
    const answered = blocks
      .filter((block): block is Result => block.type === 'tool_result')
      .map((block) => block.toolUseId);
    if (answered.length > 0 && answered.length < blocks.length)
      return 'a message with tool results may hold nothing else';
    const unasked = answered.find((id) => !open.includes(id));
    if (unasked !== undefined) return `the tool result "${unasked}" answers no tool use of the message before`;
    const missing = open.find((id) => !answered.includes(id));
    if (missing !== undefined) return `the tool use "${missing}" has no tool result in the message after`;
    open = blocks.filter((block): block is Use => block.type === 'tool_use').map(({ id }) => id);
  }
  return open.length === 0 ? undefined : `the tool use "${open[0]}" has no tool result in the message after`;
}
