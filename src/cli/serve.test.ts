import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const parley = fileURLToPath(new URL('./parley.js', import.meta.url));
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

interface Run {
  readonly child: ChildProcess;
  readonly said: { err: string; out: string };
  readonly ended: Promise<number | null>;
}

function run(args: readonly string[], env: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, [parley, 'serve', ...args], {
    env: { ...process.env, PARLEY_LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const said = { err: '', out: '' };
  child.stderr?.on('data', (chunk: Buffer) => {
    said.err += chunk;
  });
  child.stdout?.on('data', (chunk: Buffer) => {
    said.out += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { child, said, ended };
}

async function ready({ said, child }: Run): Promise<string> {
  for (;;) {
    const [, url] = /^Serving at (\S+)$/m.exec(said.err) ?? [];
    if (url !== undefined) return url;
    assert.equal(child.exitCode, null, said.err);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('parley serve', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`serves, says how to connect on stderr alone, and ends with 0 on ${signal}`, async () => {
      const server = run(['--port', '0']);
      const url = await ready(server);
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
      assert.match(server.said.err, new RegExp(`claude mcp add .*${url}`));
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const response = await fetch(url, { method: 'POST', headers, body });
      assert.match(await response.text(), /"hello"/);
      assert.equal((await fetch(new URL('/readyz', url))).status, 200);
      server.child.kill(signal);
      assert.equal(await server.ended, 0);
      assert.equal(server.said.out, '');
    });
  }

  it('takes its options from the environment, flags first', async () => {
    const server = run(['--endpoint', '/flag/'], {
      PARLEY_PORT: '0',
      PARLEY_HOST: 'localhost',
      PARLEY_ENDPOINT: '/environment',
      PARLEY_PUBLIC_URL: 'https://mcp.example/',
    });
    assert.equal(await ready(server), 'https://mcp.example/flag');
    server.child.kill('SIGTERM');
    assert.equal(await server.ended, 0);
  });

  it('refuses to listen beyond this machine unless that was said', async () => {
    const refused = run(['--host', '0.0.0.0', '--port', '0']);
    assert.equal(await refused.ended, 1);
    assert.match(refused.said.err, /--allow-unauthenticated/);
    const allowed = run(['--host', '0.0.0.0', '--port', '0'], { PARLEY_ALLOW_UNAUTHENTICATED: 'true' });
    await ready(allowed);
    allowed.child.kill('SIGTERM');
    assert.equal(await allowed.ended, 0);
  });

  it('says what to do when the port is taken', async () => {
    const first = run(['--port', '0']);
    const { port } = new URL(await ready(first));
    const second = run(['--port', port]);
    assert.equal(await second.ended, 1);
    assert.match(second.said.err, /another program is using the port.*--port/);
    first.child.kill('SIGTERM');
    assert.equal(await first.ended, 0);
  });

  for (const [args, reason] of [
    [['--port', 'x'], /port "x"/],
    [['--port', '70000'], /port "70000"/],
    [['--port', '-1'], /port/],
    [['--endpoint', 'mcp'], /endpoint "mcp"/],
    [['--endpoint', '/a?b'], /endpoint/],
    [['--public-url', 'mcp.example'], /public URL/],
    [['--rate-limit', 'fast'], /rate limit "fast"/],
    [['--rate-limit', '1', '--rate-burst', '0'], /rate burst "0"/],
    [['--limit', 'sessions'], /limit "sessions".*such as sessions=50000/],
    [['--limit', 'session=5'], /Unknown limit: "session"\. Did you mean sessions/],
    [['--nonsense'], /nonsense/],
  ] as const) {
    it(`refuses ${args.join(' ')} as a mistake in how it was called`, async () => {
      const mistaken = run(args);
      assert.equal(await mistaken.ended, 2);
      assert.match(mistaken.said.err, reason);
    });
  }

  for (const [said, args, env] of [
    ['flags', ['--rate-limit', '0.1/s', '--rate-burst', '2'], { PARLEY_RATE_LIMIT: 'off' }],
    ['the environment', [], { PARLEY_RATE_LIMIT: '0.1', PARLEY_RATE_BURST: '2' }],
  ] as const) {
    it(`limits the rate of the endpoint as ${said} say, and of nothing else`, async () => {
      const server = run(['--port', '0', ...args], env);
      const url = await ready(server);
      const status = async (path: string) => (await fetch(new URL(path, url))).status;
      assert.deepEqual([await status('/mcp'), await status('/messages'), await status('/sse')], [405, 405, 429]);
      assert.equal(await status('/mcp'), 429);
      for (const path of ['/health', '/healthz', '/livez', '/readyz', '/metrics', '/.well-known/mcp.json', '/'])
        for (let times = 0; times < 3; times += 1) assert.equal(await status(path), 200, path);
      server.child.kill('SIGTERM');
      assert.equal(await server.ended, 0);
    });
  }

  for (const [said, args, env] of [
    ['flags', ['--limit', 'sessions=1', '--limit', 'messageBytes=1000'], { PARLEY_LIMITS: 'sessions=5' }],
    ['the environment', [], { PARLEY_LIMITS: 'sessions=1, messageBytes=1000' }],
  ] as const) {
    it(`holds to the limits ${said} say`, async () => {
      const server = run(['--port', '0', ...args], env);
      const url = await ready(server);
      const open = async (name: string) => {
        const clientInfo = { name, version: '1' };
        const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
        const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
        return (await fetch(url, { method: 'POST', headers, body })).status;
      };
      assert.equal(await open('x'.repeat(1000)), 413);
      assert.equal(await open('first'), 200);
      assert.equal(await open('second'), 503);
      server.child.kill('SIGTERM');
      assert.equal(await server.ended, 0);
    });
  }

  it('has no rate limit unless told, and can leave out that of a preset', async () => {
    for (const args of [[], ['--preset', 'hyperserve', '--rate-limit', 'off']]) {
      const server = run(['--port', '0', ...args]);
      const url = await ready(server);
      for (let times = 0; times < 100; times += 1) {
        const response = await fetch(url, { headers: { accept: 'text/plain' } });
        await response.arrayBuffer();
        assert.equal(response.status, 405);
      }
      server.child.kill('SIGTERM');
      assert.equal(await server.ended, 0);
    }
  });

  it('refuses a burst without a rate', async () => {
    const mistaken = run(['--port', '0', '--rate-burst', '5']);
    assert.equal(await mistaken.ended, 1);
    assert.match(mistaken.said.err, /say --rate-limit too/);
  });

  it('refuses an origin that is none', async () => {
    const mistaken = run(['--port', '0', '--allowed-origins', 'https://app.example,*']);
    assert.equal(await mistaken.ended, 1);
    assert.match(mistaken.said.err, /Cannot allow the origin "\*"/);
  });
});
