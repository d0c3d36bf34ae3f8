import { createPack, type Server } from '../../../catalog/server.ts';
import { addAskingTools } from './asking.ts';
import { addChangingItems } from './changing.ts';
import { addPhases } from './phases.ts';
import { addWorkingTools } from './working.ts';

/** A few small items for every feature a client can meet: questions, progress, log, tasks, changes, completion. */
export function createContract(): Server {
  const server = createPack({ name: 'contract', version: '1.0.0' });
  addAskingTools(server);
  addWorkingTools(server);
  addChangingItems(server);
  addPhases(server);
  return server;
}
