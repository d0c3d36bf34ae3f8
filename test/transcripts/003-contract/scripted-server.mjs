// A server that answers initialize with the version it was told, and says on stderr what it hears and does, in order.

import { createInterface } from 'node:readline';

const [, , protocolVersion] = process.argv;
const note = (text) => process.stderr.write(`${text}\n`);
const answer = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    note(method === 'initialize' ? `${method} ${params.protocolVersion}` : method);
    if (method !== 'initialize') return id === undefined ? undefined : answer(id, { tools: [] });
    setTimeout(() => {
      note('answered');
      answer(id, { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'scripted', version: '1' } });
    }, 100);
  })
  .on('close', () => note('closed'));
