import type { Preset } from './preset.ts';

/** Aiur's stdio server: JSON-RPC without a handshake beside MCP, a log in files, mended results and named context. */
export const aiur: Preset = {
  server: { name: 'aiur', version: '1.0.0' },
  instructions:
    'Store values with context_add and refer to them as "@name" in any text argument ("@@" begins a text with "@"). Any tool takes "saveAs": the name its result is stored under.',
  packs: [{ name: 'greeting' }, { name: 'context' }, { name: 'logs' }],
  host: { bare: true, actions: false, tasks: false },
  doctor: true,
  context: true,
  logFiles: { name: 'aiur', directory: './logs', maxBytes: 10_485_760, retentionDays: 7 },
};
