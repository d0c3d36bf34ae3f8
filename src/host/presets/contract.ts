import type { Preset } from './preset.ts';

/** Every feature of the 2025-11-25 contract, with a small item for each. */
export const contract: Preset = {
  server: { name: 'contract', title: 'The protocol contract', version: '1.0.0' },
  instructions:
    'A server to try a client against. The ask_ tools ask it for something, count reports progress and logs, job may be a task, write_note and switch_extras change what others see.',
  packs: [{ name: 'contract' }],
  host: { actions: false, assumes: 'nobody' },
};
