// Stands between a client and the server: passes every byte on, and writes down what was said and how it ended.
// Usage: node witness.mjs <folder for the record> <server script> [arguments]

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, ...command] = process.argv.slice(2);
const record = { asked: undefined, agreed: undefined, claimed: [], heard: [], strays: [], code: null, signal: null };

// A process group of its own: whoever is left in it after the server ended is an orphan.
const server = spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });

function eachLine(take) {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) take(line);
  };
}

function note({ method, params }) {
  if (method !== undefined) record.heard.push(method);
  if (method === 'initialize') record.asked = params.protocolVersion;
  const claim = params?._meta?.['io.modelcontextprotocol/protocolVersion'];
  if (claim !== undefined && !record.claimed.includes(claim)) record.claimed.push(claim);
}

function check(line) {
  try {
    const message = JSON.parse(line);
    if (message.jsonrpc !== '2.0' || !(message.method ?? message.result ?? message.error)) record.strays.push(line);
    record.agreed ??= message.result?.protocolVersion;
  } catch {
    record.strays.push(line);
  }
}

process.stdin.setEncoding('utf8').on(
  'data',
  eachLine((line) => note(JSON.parse(line))),
);
process.stdin.pipe(server.stdin);
server.stdout.setEncoding('utf8').on('data', eachLine(check));
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
