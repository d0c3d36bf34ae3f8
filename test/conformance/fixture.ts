import { createServer } from 'parley-mcp';
import { addAskingTools } from './asking-tools.ts';
import { addItems } from './items.ts';
import { addRoundTrips } from './round-trips.ts';
import { addTaskTools } from './task-tools.ts';
import { addTools } from './tools.ts';

// The server the official conformance suite asks for, with the names and texts it expects.

const server = createServer({
  name: 'parley-conformance',
  version: '1.0.0',
  title: 'Conformance fixture',
  instructions: 'Everything the conformance suite asks for, under the names it asks for',
});

addTools(server);
addAskingTools(server);
addRoundTrips(server);
addTaskTools(server);
addItems(server);

export default server;
