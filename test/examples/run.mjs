// Every program in examples/ is compiled, started, and used by a client of each era.
// Usage: node test/examples/run.mjs [--only express]

import { spawn } from 'node:child_process';
import { existsSync, readdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { install } from '../../scripts/install.mjs';
import { must, ROOT } from '../../scripts/run.mjs';

const EXAMPLES = join(ROOT, 'examples');
const BUILT = join(EXAMPLES, 'dist');
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const START_MS = 20_000;
const STEP_MS = 10_000;

const message = (method, params, id = 1) => JSON.stringify({ jsonrpc: '2.0', id, method, params });
const CALL = message('tools/call', { name: 'hello', arguments: {} });
const MODERN_VERSION = '2026-07-28';
const OLDER_VERSION = '2025-11-25';

function expect(found, wanted, what) {
  if (found !== wanted) throw new Error(`${what}: expected ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`);
}

function expectText(text, wanted) {
  if (!text.includes(wanted)) throw new Error(`Expected ${JSON.stringify(wanted)} in ${JSON.stringify(text)}`);
}

/** What a client does; `send` takes the headers and the rest of a request, and gives a response. */
const STEPS = {
  async 'calls a tool without a session'(send) {
    const response = await send({ headers: HEADERS, method: 'POST', body: CALL });
    expect(response.status, 200, 'Status');
    expectText(await response.text(), 'Hello, world');
  },
  async 'calls a tool in the modern way'(send) {
    const claim = {
      'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const headers = { ...HEADERS, 'mcp-protocol-version': MODERN_VERSION, 'mcp-method': 'tools/call', 'mcp-name': 'hello' };
    const body = message('tools/call', { name: 'hello', arguments: {}, _meta: claim });
    const response = await send({ headers, method: 'POST', body });
    expect(response.status, 200, 'Status');
    expectText(await response.text(), 'Hello, world');
  },
  async 'opens a session, hears its stream open, and ends it'(send) {
    const client = { protocolVersion: OLDER_VERSION, capabilities: {}, clientInfo: { name: 'examples', version: '1' } };
    const opened = await send({ headers: HEADERS, method: 'POST', body: message('initialize', client) });
    expect(opened.status, 200, 'Status of initialize');
    await opened.text();
    const session = { ...HEADERS, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? 'none' };
    const controller = new AbortController();
    const stream = await send({ headers: session, method: 'GET', signal: controller.signal });
    expect(stream.status, 200, 'Status of the stream');
    expect(stream.headers.get('content-type'), 'text/event-stream', 'Type of the stream');
    controller.abort();
    const ended = await send({ headers: session, method: 'DELETE' });
    expect(ended.ok, true, 'The session ends');
    const late = await send({ headers: session, method: 'POST', body: CALL });
    expect(late.status, 404, 'Status of a call after the end');
    await late.text();
  },
  async 'is refused what is not JSON'(send) {
    const response = await send({ headers: HEADERS, method: 'POST', body: '{"jsonrpc":' });
    expect(response.status, 400, 'Status');
    await response.text();
  },
  async 'is refused as a page of a foreign origin'(send) {
    const headers = { ...HEADERS, origin: 'https://evil.example' };
    const response = await send({ headers, method: 'POST', body: CALL });
    expect(response.status, 403, 'Status');
    expectText(await response.text(), 'allowedOrigins');
  },
};

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function untilUp(url, child, said) {
  for (const started = Date.now(); Date.now() - started < START_MS; ) {
    if (child.exitCode !== null) throw new Error(`The example ended: ${said.join('')}`);
    try {
      await (await fetch(url)).arrayBuffer();
      return;
    } catch {
      await pause(50);
    }
  }
  throw new Error(`The example does not listen: ${said.join('')}`);
}

/** Starts a program that listens; resolves to a way to reach it and to end it. */
async function startProgram(path) {
  const port = await freePort();
  const child = spawn(process.execPath, [path], {
    cwd: EXAMPLES,
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(String(chunk)));
  const ended = new Promise((resolve) => child.on('close', resolve));
  const url = `http://127.0.0.1:${port}/mcp`;
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  try {
    await untilUp(url, child, said);
  } catch (error) {
    await stop();
    throw error;
  }
  return { send: (init) => fetch(url, init), stop };
}

/** Loads a program that is called and does not listen. */
async function startFunction(path) {
  const { default: program } = await import(pathToFileURL(path).href);
  const send = (init) => program.fetch(new Request('https://mcp.example/mcp', init));
  return { send, stop: async () => {} };
}

async function withDeadline(work) {
  const controller = new AbortController();
  const late = pause(STEP_MS, undefined, { signal: controller.signal }).then(() => {
    throw new Error(`Took longer than ${STEP_MS} ms`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    controller.abort();
  }
}

/** Runs the steps against one example; the problems there were. */
async function tryExample(name) {
  const path = join(BUILT, name.replace(/\.ts$/, '.js'));
  const { send, stop } = await (name === 'fetch.ts' ? startFunction(path) : startProgram(path));
  const problems = [];
  try {
    for (const [step, work] of Object.entries(STEPS)) {
      await withDeadline(work(send)).catch((error) => problems.push(`${step}: ${error.message}`));
    }
  } finally {
    await stop();
  }
  return problems;
}

function prepare() {
  install('examples');
  const link = join(EXAMPLES, 'node_modules', 'parley-mcp');
  if (!existsSync(link)) symlinkSync(ROOT, link, 'junction');
}

async function main() {
  const { values } = parseArgs({ options: { only: { type: 'string', multiple: true, default: [] } } });
  prepare();
  await must(process.execPath, [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', 'examples']);
  const wanted = (name) => values.only.length === 0 || values.only.includes(basename(name, '.ts'));
  const names = readdirSync(EXAMPLES).filter((name) => name.endsWith('.ts') && name !== 'server.ts' && wanted(name));
  let failed = 0;
  for (const name of names) {
    const problems = await tryExample(name).catch((error) => Object.keys(STEPS).map(() => error.message));
    for (const problem of problems) console.log(`✖ ${name}: ${problem}`);
    if (problems.length === 0) console.log(`✔ ${name}`);
    failed += problems.length;
  }
  console.log(`\n${names.length * Object.keys(STEPS).length - failed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}

await main();
