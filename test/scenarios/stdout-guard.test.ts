import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DEEP_NOISE, LATE, NOISE } from './fixtures/noise.ts';

const SERVER = fileURLToPath(new URL('./fixtures/noisy-server.js', import.meta.url));
const SHALLOW = [...Object.keys(NOISE), ...Object.keys(LATE)];
/** Without the guard inside, a program that ends its own stdout has ended it. */
const ALL = [...SHALLOW.filter((name) => name !== 'process.stdout.end'), ...Object.keys(DEEP_NOISE)];
/** Gives the server pipes, as a shell or most clients do, where Node would give it sockets. */
const WITH_PIPES = '{ "$0" "$@" 2>&1 1>&4 4>&- | cat >&2; } 4>&1 | cat';

interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

function lines(names: readonly string[]): string {
  return names.map((name) => `${JSON.stringify(name)}\n`).join('');
}

function collect(child: ChildProcess): Promise<Outcome> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ stdout, stderr, code })));
}

function run(command: readonly string[], names: readonly string[]): Promise<Outcome> {
  const [program = '', ...rest] = command;
  const child = spawn(program, rest, { timeout: 20_000 });
  child.stdin.end(lines(names));
  return collect(child);
}

function assertClean({ stdout, stderr }: Pick<Outcome, 'stdout' | 'stderr'>, names: readonly string[]): void {
  const said = stdout.split('\n').filter((line) => line !== '');
  assert.deepEqual(said.sort(), names.map((name) => JSON.stringify({ done: name })).sort());
  for (const name of names) assert.ok(stderr.includes(`NOISE ${name}`), `"${name}" is not on stderr:\n${stderr}`);
  assert.ok(!stderr.includes('NOISE leaked'));
}

async function isGone(pid: number): Promise<boolean> {
  for (let n = 0; n < 200; n += 1) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await wait(25);
  }
  return false;
}

/** Asks a started server for its process id. */
function pidOf(child: ChildProcess): Promise<number> {
  child.stdin?.write('"pid"\n');
  return new Promise((resolve) =>
    child.stdout?.once('data', (line) => {
      resolve((JSON.parse(String(line)) as { pid: number }).pid);
    }),
  );
}

describe('the guard inside the process', () => {
  it('keeps everything but the protocol off a stdout that is a pipe', async () => {
    assertClean(await run(['sh', '-c', WITH_PIPES, process.execPath, SERVER, 'plain'], SHALLOW), SHALLOW);
  });

  it('keeps everything but the protocol off a stdout that is a socket', async () => {
    const names = SHALLOW.filter((name) => !name.endsWith('path'));
    const outcome = await run([process.execPath, SERVER, 'plain'], names);
    assertClean(outcome, names);
    assert.equal(outcome.code, 0);
  });

  it('is not fooled by a launcher variable without a launcher', async () => {
    const env = { ...process.env, PARLEY_PROTOCOL_FD: '3' };
    const child = spawn(process.execPath, [SERVER, 'plain'], { env, timeout: 20_000 });
    child.stdin.end(lines(['console']));
    assertClean(await collect(child), ['console']);
  });
});

describe('the launcher', () => {
  it('keeps everything but the protocol off stdout, whoever prints, when it is a pipe', async () => {
    assertClean(await run(['sh', '-c', WITH_PIPES, process.execPath, SERVER, 'guarded'], ALL), ALL);
  });

  it('keeps everything but the protocol off stdout, whoever prints, when it is a socket', async () => {
    const names = ALL.filter((name) => !name.endsWith('path'));
    const outcome = await run([process.execPath, SERVER, 'guarded'], names);
    assertClean(outcome, names);
    assert.equal(outcome.code, 0);
  });

  it('takes its variable out of the environment', async () => {
    const { stdout } = await run([process.execPath, SERVER, 'guarded'], ['pid']);
    assert.equal((JSON.parse(stdout) as { variable: unknown }).variable, null);
  });

  it('exits with the code of the program', async () => {
    assert.equal((await run([process.execPath, SERVER, 'guarded'], ['exit'])).code, 7);
  });

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    it(`hands ${signal} on and waits for the program to finish`, async () => {
      const child = spawn(process.execPath, [SERVER, 'guarded'], { timeout: 20_000 });
      const outcome = collect(child);
      const pid = await pidOf(child);
      child.kill(signal);
      const { code, stderr } = await outcome;
      assert.equal(code, 0);
      assert.match(stderr, /closed: shutdown/);
      assert.ok(await isGone(pid));
    });
  }

  it('reports a program that a signal ended', async () => {
    const child = spawn(process.execPath, [SERVER, 'guarded'], { timeout: 20_000 });
    const outcome = collect(child);
    process.kill(await pidOf(child), 'SIGKILL');
    assert.equal((await outcome).code, 128 + 9);
  });

  it('leaves no orphan when it is killed, even if its stdin stays open', async () => {
    const holder = spawn('sh', ['-c', `echo '"pid"'; exec sleep 30`], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const child = spawn(process.execPath, [SERVER, 'guarded'], {
        stdio: [holder.stdout, 'pipe', 'pipe'],
        timeout: 20_000,
      });
      const outcome = collect(child);
      const pid = await pidOf(child);
      assert.notEqual(pid, child.pid);
      child.kill('SIGKILL');
      assert.ok(await isGone(pid));
      assert.match((await outcome).stderr, /closed: shutdown/);
    } finally {
      holder.kill('SIGKILL');
    }
  });
});

describe('a stdout that is moved', { skip: process.platform !== 'linux' }, () => {
  it('keeps everything but the protocol off a pipe, whoever prints', async () => {
    const outcome = await run(['sh', '-c', WITH_PIPES, process.execPath, SERVER, 'moved'], ALL);
    assert.match(outcome.stderr, /^stdout was moved$/m);
    assertClean(outcome, ALL);
  });

  it('stays where it is when it is a socket, and the guard inside holds', async () => {
    const names = SHALLOW.filter((name) => !name.endsWith('path'));
    const outcome = await run([process.execPath, SERVER, 'moved'], names);
    assert.match(outcome.stderr, /^stdout was not moved$/m);
    assertClean(outcome, names);
  });

  it('stays where it is when stderr is a file, which would be written over', async () => {
    const script = '{ "$0" "$@" 2>"$ERRORS"; cat "$ERRORS" >&2; } | cat';
    const names = ['console', 'named writeSync', 'worker', 'late throw'];
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'parley-'));
    try {
      const env = { ...process.env, ERRORS: path.join(folder, 'errors') };
      const child = spawn('sh', ['-c', script, process.execPath, SERVER, 'moved'], { env, timeout: 20_000 });
      child.stdin.end(lines(names));
      const outcome = await collect(child);
      assert.match(outcome.stderr, /^stdout was not moved$/m);
      assertClean(outcome, names);
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });

  it('is not waited for when nobody reads it any more', async () => {
    const script = '{ sleep 0.3; "$0" "$@" 2>&4 </dev/null; } 4>&2 | true';
    const child = spawn('sh', ['-c', `${script}; :`, process.execPath, SERVER, 'moved'], { timeout: 20_000 });
    child.stdin.end();
    assert.equal((await collect(child)).code, 0);
  });

  it('ends quietly when its reader goes', async () => {
    const script = '{ "$0" "$@" 2>&1 1>&4 4>&- | cat >&2; } 4>&1 | head -n 1';
    const child = spawn('sh', ['-c', script, process.execPath, SERVER, 'moved'], { timeout: 20_000 });
    const outcome = collect(child);
    await pidOf(child);
    child.stdin.on('error', () => {});
    child.stdin.write(lines(['console', 'console', 'console']));
    assert.match((await outcome).stderr, /closed: output closed/);
  });

  it('saves the second process, and the command keeps its exit code', async () => {
    const cli = fileURLToPath(new URL('../../src/cli/parley.js', import.meta.url));
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'parley-'));
    const module = path.join(folder, 'module.mjs');
    fs.writeFileSync(
      module,
      `import fs from 'node:fs';
      process.stderr.write('parent ' + fs.readFileSync('/proc/' + process.ppid + '/comm'));
      export default () => {};`,
    );
    try {
      const script = '{ { "$0" "$@"; echo "code $?" >&2; } 2>&1 1>&4 4>&- | cat >&2; } 4>&1 | cat';
      const args = ['-c', script, process.execPath, cli, 'stdio', '--module', module];
      const child = spawn('sh', args, { timeout: 20_000 });
      child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
      const { stdout, stderr } = await collect(child);
      assert.equal((JSON.parse(stdout) as { id: number }).id, 1);
      assert.match(stderr, /^parent .*sh$/m);
      assert.match(stderr, /^code 0$/m);
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });
});

describe('both layers', () => {
  for (const mode of ['plain', 'guarded']) {
    it(`write the protocol to a file (${mode})`, async () => {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'parley-'));
      const file = path.join(folder, 'stdout');
      const names = ['console', 'fs.writeSync', 'named writeSync', 'worker', 'late throw'];
      try {
        const stdout = fs.openSync(file, 'w');
        const child = spawn(process.execPath, [SERVER, mode], { stdio: ['pipe', stdout, 'pipe'], timeout: 20_000 });
        child.stdin?.end(lines(names));
        const { stderr } = await collect(child);
        fs.closeSync(stdout);
        assertClean({ stdout: fs.readFileSync(file, 'utf8'), stderr }, names);
      } finally {
        fs.rmSync(folder, { recursive: true });
      }
    });

    it(`end quietly when nobody reads any more (${mode})`, async () => {
      const child = spawn(process.execPath, [SERVER, mode], { timeout: 20_000 });
      const outcome = collect(child);
      const pid = await pidOf(child);
      child.stdout.destroy();
      child.stdin.on('error', () => {});
      child.stdin.write(lines(['console', 'console']));
      const { code, stderr } = await outcome;
      assert.equal(code, 0);
      assert.match(stderr, /closed: output closed/);
      assert.ok(await isGone(pid));
    });
  }
});
