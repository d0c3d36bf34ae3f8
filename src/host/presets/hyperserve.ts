import type { Preset } from './preset.ts';

/** HyperServe's MCP server: four tools and four resources, each kind off until its switch is on. */
export const hyperserve: Preset = {
  server: { name: 'hyperserve', version: '1.0.0' },
  namespace: 'hyperserve',
  packs: [
    { name: 'files', when: 'tools' },
    { name: 'http', when: 'tools' },
    { name: 'calculator', when: 'tools' },
    { name: 'server-info', when: 'resources' },
  ],
  host: {
    capabilities: {
      tools: { listChanged: false },
      resources: { subscribe: false, listChanged: false },
      sse: { enabled: true, endpoint: 'same', headerRouting: true },
    },
    names: { long: true, bare: true },
    actions: false,
    assumes: 'oldest',
  },
  rateLimit: { perSecond: 10, burst: 60 },
};
