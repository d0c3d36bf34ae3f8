// What the suite is pointed at: the fixture, served by the built program.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../scripts/run.mjs';

const START_MS = 20_000;
const END_MS = 15_000;

export const WAYS = ['http', 'pipe'];

/** The program that serves the fixture; a build beside the usual one needs the source, which finds its own package. */
function argvOf(command, dist) {
  const built = resolve(dist);
  const usual = built === join(ROOT, 'dist');
  const fixture = usual ? join(built, 'test', 'conformance', 'fixture.js') : join(ROOT, 'test/conformance/fixture.ts');
  return [join(built, 'src', 'cli', 'parley.js'), command, '--module', fixture];
}

/** Opens the server so that the suite can reach it by HTTP. */
export function openTarget(way, { dist }) {
  if (way === 'http') return openServer(dist);
  if (way === 'pipe') return openPipe(dist);
  throw new TypeError(`There is no way "${way}" to the server: there are ${WAYS.join(', ')}`);
}

/** Serves the fixture until the program is told to end. */
export async function serveAlone({ dist, port }) {
  const child = spawn(process.execPath, [...argvOf('serve', dist), '--port', port], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
}

async function openPipe(dist) {
  const { openBridge } = await import(pathToFileURL(join(resolve(dist), 'test', 'conformance', 'bridge.js')).href);
  const { url, close } = await openBridge([...argvOf('stdio', dist), '--log-level', 'silent']);
  return { url, close };
}

async function openServer(dist) {
  const argv = [...argvOf('serve', dist), '--port', '0', '--log-level', 'silent'];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'inherit', 'pipe'] });
  const url = await addressOf(child);
  return {
    url,
    async close() {
      const ended = once(child, 'exit');
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
      child.kill('SIGTERM');
      const [code, signal] = await ended;
      clearTimeout(timer);
      if (code !== 0) throw new Error(`The server ended with ${signal ?? `code ${code}`} and not with code 0`);
    },
  };
}

/** Where a server that was just started says it is. */
function addressOf(child) {
  return new Promise((settle, fail) => {
    let said = '';
    const late = setTimeout(() => fail(new Error(`The server does not say where it is:\n${said}`)), START_MS);
    child.on('exit', (code) => fail(new Error(`The server ended with code ${code}:\n${said}`)));
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      said += chunk;
      const [, url] = /^Serving at (\S+)$/m.exec(said) ?? [];
      if (url === undefined) return;
      clearTimeout(late);
      settle(url);
    });
  });
}
