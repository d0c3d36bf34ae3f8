import assert from 'node:assert/strict';
import { get } from 'node:http';
import { test } from 'node:test';
import { childrenOf } from '../chaos/load/process-facts.ts';
import { serveProcess } from './processes.ts';
import { pause } from './stage.ts';

const HANDED_MS = 300;
const PATIENCE_MS = 10_000;

/** How a request ended that nobody may leave waiting. */
function endOf(port: number): Promise<'answered' | 'cut' | 'silent'> {
  return new Promise((resolve) => {
    const asking = get({ port, host: '127.0.0.1', path: '/healthz', agent: false }, (response) => {
      response.resume().on('close', () => resolve('answered'));
    });
    asking.setTimeout(PATIENCE_MS, () => {
      resolve('silent');
      asking.destroy();
    });
    asking.on('error', () => resolve('cut'));
  });
}

test('A worker that is killed leaves nobody waiting whose connection it was handed and had not taken', {
  skip: process.platform !== 'linux',
}, async () => {
  const crew = await serveProcess('memory:', ['--workers', '2']);
  try {
    const [first] = childrenOf(crew.pid);
    assert.ok(first !== undefined);
    process.kill(first, 'SIGSTOP');
    const ends = Promise.all([1, 2, 3].map(() => endOf(crew.port)));
    await pause(HANDED_MS);
    process.kill(first, 'SIGKILL');
    assert.deepEqual((await ends).sort(), ['answered', 'answered', 'cut']);
    assert.equal(await endOf(crew.port), 'answered');
  } finally {
    await crew.end();
  }
});
