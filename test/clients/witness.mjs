// Stands between a client and the server: passes every byte on, and writes down what was said and how it ended.
// Usage: node witness.mjs <folder for the record> <server script> [arguments]

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eachLine, Record } from './record.mjs';

const [folder, ...command] = process.argv.slice(2);
const record = new Record();

// A process group of its own: whoever is left in it after the server ended is an orphan.
const server = spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });

process.stdin.setEncoding('utf8').on(
  'data',
  eachLine((line) => record.hear(line)),
);
process.stdin.pipe(server.stdin);
server.stdout.setEncoding('utf8').on(
  'data',
  eachLine((line) => record.check(line)),
);
server.stdout.pipe(process.stdout);
for (const stream of [server.stdin, process.stdout]) stream.on('error', () => {});
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => server.kill(signal));

function orphaned() {
  try {
    return process.kill(-server.pid, 0);
  } catch {
    return false;
  }
}

server.on('close', (code, signal) => {
  const whole = { ...record, code, signal, orphans: orphaned() };
  writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(whole));
  process.exit(code ?? 1);
});
