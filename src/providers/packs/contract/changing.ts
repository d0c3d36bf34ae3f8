import { setImmediate as tick } from 'node:timers/promises';
import type { Server } from '../../../catalog/server.ts';

const NOTE = 'contract://note';
const EXTRA = 'contract://extra';
const NOTHING = { type: 'object', properties: {}, additionalProperties: false } as const;
const TEXT = {
  type: 'object',
  properties: { text: { type: 'string', maxLength: 1000, description: 'What the note says from now on' } },
  required: ['text'],
  additionalProperties: false,
} as const;

/** A resource that changes, and a tool, a resource and a prompt that come and go. All clients see the same. */
export function addChangingItems(server: Server): void {
  let note = 'Nothing yet';
  let extras: { remove(): void }[] = [];
  server.resource('note', NOTE, { description: 'A note that changes', mimeType: 'text/plain' }, () => note);
  server.tool('write_note', { description: 'Changes the note', input: TEXT }, async ({ text }) => {
    note = text;
    server.updated(NOTE);
    await tick();
    return 'Written';
  });
  server.tool('switch_extras', { description: 'Adds or removes one item of every kind', input: NOTHING }, async () => {
    const on = extras.length === 0;
    for (const extra of extras) extra.remove();
    extras = on ? addExtras(server) : [];
    // Clients are told before the call is over.
    await tick();
    return on ? 'The extras are here' : 'The extras are gone';
  });
}

function addExtras(server: Server): { remove(): void }[] {
  return [
    server.tool('extra', { description: 'Is here for a while', input: NOTHING }, () => 'Here'),
    server.resource('extra', EXTRA, { description: 'Is here for a while', mimeType: 'text/plain' }, () => 'Here'),
    server.prompt('extra', { description: 'Is here for a while' }, () => 'Are you here?'),
  ];
}
