import type { Preset } from './preset.ts';

/** Humanity4AI's ten supportive actions, as newline-delimited JSON and as MCP tools. */
export const humanity4ai: Preset = {
  server: { name: 'humanity4ai', version: '0.1.0' },
  instructions:
    'Supportive, non-clinical actions. Show the boundaryNotice of every answer word for word, say how uncertain it is, and pass escalation guidance on as it is. When somebody may be in danger, a person must answer, not a program.',
  packs: [{ name: 'humanity' }],
  host: { voice: 'action', limits: { messageBytes: 524_288 } },
};
