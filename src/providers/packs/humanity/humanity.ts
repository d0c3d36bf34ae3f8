import { createPack, type Server } from '../../../catalog/server.ts';
import { ACTIONS } from './actions.ts';

/** Supportive, non-clinical actions for people and for those who design for them; they touch nothing outside. */
export function createHumanity(): Server {
  const server = createPack({ name: 'humanity', version: '0.1.0' });
  for (const action of ACTIONS) action.addTo(server);
  return server;
}
