import { spawnSync } from 'node:child_process';
import { writeSync } from 'node:fs';

/** Tools that do to stdout and to results what tools should not do. */
export default function fill(server) {
  server.tool('echo', {}, (input) => ({ got: input }));
  server.tool('noisy', {}, ({ text }) => {
    console.log('printed', text);
    console.error('printed as an error');
    process.stdout.write('written to stdout\n');
    writeSync(1, 'written to descriptor 1\n');
    spawnSync(process.execPath, ['-e', 'console.log("printed by a child")'], { stdio: 'inherit' });
    return { quiet: true };
  });
  server.tool('twice', {}, () => JSON.stringify(JSON.stringify({ a: [1, 9007199254740991] }, null, 2)));
  server.tool('once', {}, () => JSON.stringify({ text: 'line\nsay "hi"' }));
  server.tool('code', {}, () => 'const text = "a\\nb \\"c\\"";');
  server.tool('pretty', {}, () => ({ compact: { yes: true } }));
  server.tool('broken', {}, () => ({ content: [{ type: 'text', text: 5 }] }));
  server.tool('cyclic', {}, () => {
    const cycle = {};
    cycle.self = cycle;
    return cycle;
  });
  server.tool('throws', {}, () => {
    throw new Error('the secret is 42');
  });
}
