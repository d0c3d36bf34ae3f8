// The built server, one for each client, with somebody who remembers what was said.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openOnlooker } from './onlooker.mjs';

const START_MS = 20_000;
const END_MS = 15_000;
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** A server that is reached one way: `at` is what a client is opened with, `records` says how it went. */
export function openServer(way, options) {
  return way === 'stdio' ? onPipe(options) : onPort(way, options);
}

const argvOf = (command, { cli, folder }) => [
  ...[cli, command, '--module', here('fixture.ts')],
  ...['--log-file', join(folder, 'log')],
];

/** The client starts the server itself, with the witness in between. */
function onPipe({ cli, folder }) {
  return {
    at: {
      command: process.execPath,
      args: [here('witness.mjs'), folder, ...argvOf('stdio', { cli, folder })],
      env: { PATH: process.env.PATH },
    },
    records: () => readRecords(folder),
    close: () => {},
  };
}

/** Waits until every server that was started has ended, and returns how. */
async function readRecords(folder) {
  let files = [];
  for (let left = 100; left > 0; left -= 1) {
    files = readdirSync(folder).filter((name) => name.endsWith('.json'));
    if (files.length > 0) break;
    await pause(50);
  }
  if (files.length === 0) throw new Error('The server did not end');
  return files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
}

async function onPort(way, options) {
  const child = spawn(process.execPath, [...argvOf('serve', options), '--port', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const origin = await originOf(child);
  const onlooker = await openOnlooker(origin);
  let ended;
  const end = async () => {
    const [code, signal] = await endOf(child);
    onlooker.close();
    return [{ ...onlooker.record, code, signal, orphans: false }];
  };
  const records = () => {
    ended ??= end();
    return ended;
  };
  return { at: { url: new URL(way === 'sse' ? '/sse' : '/mcp', onlooker.origin) }, records, close: records };
}

function originOf(child) {
  return new Promise((settle, fail) => {
    let said = '';
    const late = setTimeout(() => fail(new Error(`The server does not say where it is:\n${said}`)), START_MS);
    child.on('exit', (code) => fail(new Error(`The server ended with code ${code}:\n${said}`)));
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      said += chunk;
      const [, url] = /^Serving at (\S+)$/m.exec(said) ?? [];
      if (url === undefined) return;
      clearTimeout(late);
      settle(new URL(url).origin);
    });
  });
}

async function endOf(child) {
  const ended = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
  child.kill('SIGTERM');
  const how = await ended;
  clearTimeout(timer);
  return how;
}
