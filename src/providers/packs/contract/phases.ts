import type { Server } from '../../../catalog/server.ts';
import { Fault } from '../../../model/fault.ts';

const PHASES: ReadonlyMap<string, string> = new Map([
  ['initialization', 'Client and server agree on a revision and on what each of them can do'],
  ['operation', 'Client and server use what they agreed on, and nothing else'],
  ['shutdown', 'Whoever is done closes the transport: there is no message for it'],
]);

/** A template and a prompt about the phases of a connection, both with completion. */
export function addPhases(server: Server): void {
  server.template(
    'phase',
    'contract://phases/{name}',
    { description: 'What happens in a phase of a connection', mimeType: 'text/plain', complete: { name: suggest } },
    (uri, { name }) => {
      const phase = PHASES.get(name);
      if (phase === undefined) throw new Fault('E_UNKNOWN_RESOURCE', `Resource not found: "${uri}"`, { data: { uri } });
      return phase;
    },
  );
  server.prompt(
    'explain',
    {
      description: 'Asks for an explanation of a phase',
      arguments: {
        phase: { description: 'Which phase', required: true, complete: suggest },
        audience: { description: 'For whom' },
      },
    },
    ({ phase, audience = 'a newcomer' }) => `Explain the phase "${phase}" of a connection to ${audience}.`,
  );
}

function suggest(value: string): string[] {
  return [...PHASES.keys()].filter((name) => name.startsWith(value));
}
