import { spawnSync } from 'node:child_process';
import { writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** What tools should not do: print, by every means, and break. */
export default function fill(server) {
  server.tool('noisy', { description: 'Prints' }, async () => {
    console.log('printed');
    process.stdout.write('written to stdout\n');
    writeSync(1, 'written to descriptor 1\n');
    spawnSync(process.execPath, ['-e', 'console.log("printed by a child")'], { stdio: 'inherit' });
    const worker = new Worker('console.log("printed by a thread")', { eval: true });
    await new Promise((resolve) => worker.once('exit', resolve));
    return 'quiet';
  });
  server.tool('late', { description: 'Fails after its answer' }, () => {
    setTimeout(() => {
      throw new Error('too late');
    }, 1);
    return 'answered';
  });
  server.tool('lines', { description: 'Gives lines' }, () => 'one\ntwo\r\nthree\u2028four');
  server.resource('broken', 'contract://broken', { description: 'Cannot be read' }, () => {
    throw new Error('the secret is 42');
  });
}
