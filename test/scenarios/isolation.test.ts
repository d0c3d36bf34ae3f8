import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openModules } from '../../src/host/open-modules.ts';
import type { ToolResult } from '../../src/model/items.ts';
import { type Limits, limitsWith } from '../../src/model/limits.ts';
import { type Severity, silent } from '../../src/model/log.ts';
import { isolated } from '../../src/providers/isolated/isolated.ts';
import { isolating } from '../../src/providers/isolated/isolating.ts';
import { loadPackageModule } from '../../src/providers/package-modules.ts';
import { type Client, connect, type TestOptions } from '../../src/testing.ts';

const fixture = (name: string) => fileURLToPath(new URL(`./fixtures/${name}.js`, import.meta.url));
const FILE = fixture('isolated-tools');
const surroundings = { log: silent, limits: limitsWith({ isolateRestartMs: 200 }) };
const CODE = 'parley-mcp/code';

interface Entry {
  readonly severity: Severity;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

interface Scene {
  readonly client: Client;
  readonly logged: Entry[];
}

async function open(limits: Partial<Limits> = {}, options: TestOptions = {}): Promise<Scene> {
  const { provider } = await loadPackageModule(FILE);
  const logged: Entry[] = [];
  const client = await connect(isolating(provider, FILE), {
    ...options,
    limits: { isolateGraceMs: 100, ...limits },
    log: (severity, message, fields = {}) => logged.push({ severity, message, fields }),
  });
  return { client, logged };
}

function textOf({ content }: ToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : block.type)).join();
}

function codeOf(result: ToolResult): unknown {
  assert.equal(result.failed, true, JSON.stringify(result));
  return result._meta?.[CODE];
}

async function until(claim: () => boolean, what: string): Promise<void> {
  for (let n = 0; n < 400 && !claim(); n += 1) await pause(25);
  assert.ok(claim(), what);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A process that ended and that nobody has asked about yet still has its number.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && process.platform !== 'linux';
  }
}

const pidIn = (text: string): number => Number(/\d+$/.exec(text)?.[0]);

describe('an isolated tool', () => {
  let scene: Scene;
  before(async () => {
    scene = await open();
  });
  after(() => scene.client.close());
  const call = (name: string, input = {}) => scene.client.call(name, input);
  const where = async (): Promise<number> => ((await call('where')).structured as { count: number }).count;

  it('runs in another process, and others of its module do not', async () => {
    assert.notEqual(await where(), process.pid);
    assert.equal(textOf(await call('near', { text: 'a' })), `a from ${process.pid}`);
    assert.equal(textOf(await call('echo', { text: 'Grüße 😀' })), 'Grüße 😀');
  });

  it('is listed like any other', async () => {
    const echo = (await scene.client.listTools()).find(({ name }) => name === 'echo');
    const properties = { text: { type: 'string' } };
    assert.deepEqual(echo, {
      name: 'echo',
      description: 'Says it again',
      inputSchema: { type: 'object', properties, required: ['text'] },
    });
  });

  it('keeps its process between calls', async () => {
    assert.equal(await where(), await where());
  });

  it('is refused bad arguments, and fails, as if it ran here', async () => {
    assert.equal(codeOf(await call('echo', { text: 1 })), 'E_BAD_ARGUMENTS');
    const failed = await call('fails');
    assert.equal(codeOf(failed), 'E_TOOL_ERROR');
    assert.equal(textOf(failed), 'It is closed today');
    assert.equal(codeOf(await call('unfit')), 'E_BAD_RESULT');
  });

  it('lets no word of a foreign error out, and logs it under the id the client sees', async () => {
    const result = await call('throws');
    assert.equal(codeOf(result), 'E_INTERNAL');
    assert.doesNotMatch(JSON.stringify(result), /swordfish/);
    const errorId = result._meta?.['parley-mcp/errorId'];
    const entry = scene.logged.find(({ fields }) => fields['errorId'] === errorId);
    assert.match(String(entry?.fields['cause']), /swordfish/);
  });

  it('is found below a namespace', async () => {
    assert.notEqual(textOf(await call('below__deep')), String(process.pid));
  });

  for (const [name, input, code] of [
    ['exit', { count: 0 }, 'E_TOOL_CRASHED'],
    ['exit', { count: 7 }, 'E_TOOL_CRASHED'],
    ['abort', {}, 'E_TOOL_CRASHED'],
    ['timer', {}, 'E_TOOL_CRASHED'],
    ['noise', {}, 'E_TOOL_CRASHED'],
    ['nonsense', {}, 'E_TOOL_CRASHED'],
    ['loop', {}, 'E_DEADLINE'],
    ['stubborn', {}, 'E_DEADLINE'],
    ['burn', {}, 'E_TOOL_EXCEEDED'],
    ['heap', {}, 'E_TOOL_EXCEEDED'],
    ['buffers', {}, 'E_TOOL_EXCEEDED'],
    ['huge', { count: 17_000_000 }, 'E_OUTPUT_TOO_LARGE'],
  ] as const) {
    it(`costs one error result when it misbehaves: ${name} ${Object.values(input).join()}`, async () => {
      const neighbours = ['one', 'two', 'three'].map((text) => call('echo', { text }));
      const bad = call(name, input);
      const late = call('hold', { count: 600 });
      assert.equal(codeOf(await bad), code);
      assert.deepEqual((await Promise.all(neighbours)).map(textOf), ['one', 'two', 'three']);
      assert.match(textOf(await late), /^done in \d+$/);
      assert.equal(textOf(await call('echo', { text: 'next' })), 'next');
    });
  }

  for (const text of ['throw', 'reject', 'exit']) {
    it(`costs nothing when it misbehaves after its answer: ${text}`, async () => {
      const pid = Number(textOf(await call('late', { text })));
      assert.match(textOf(await call('hold', { count: 300 })), /^done in \d+$/);
      await until(() => !isAlive(pid), 'The process is replaced');
      assert.notEqual(await where(), pid);
    });
  }

  it('says in the log how its process ended, and what it said last', async () => {
    const result = await call('abort');
    const errorId = result._meta?.['parley-mcp/errorId'];
    const said = scene.logged.flatMap(({ fields }) => (fields['signal'] === 'SIGABRT' ? [fields['said']] : []));
    assert.match(JSON.stringify(said), /The last thing it said/);
    const cause = scene.logged.find(({ fields }) => fields['errorId'] === errorId)?.fields['cause'];
    assert.ok(cause instanceof Error);
    assert.match(cause.message, /SIGABRT/);
    assert.match(String(cause.cause), /The last thing it said/);
  });

  it('is ended with its process when it never comes back', async () => {
    const pid = await where();
    assert.equal(codeOf(await call('loop')), 'E_DEADLINE');
    await until(() => !isAlive(pid), 'The process is gone');
    const ended = () => scene.logged.findLast(({ fields }) => fields['pid'] === pid && 'signal' in fields);
    await until(() => ended() !== undefined, 'The log says so');
    assert.match(String(ended()?.message), /a call did not end when it was told to/);
  });

  it('gets no variable of the environment but the plain and the named', async () => {
    const variables = { HAZARD_KEY: 'passed on', PARLEY_SECRET: 'hidden', HAZARD_OTHER: 'hidden' };
    Object.assign(process.env, variables);
    try {
      const named = (await call('environment')).structured as Record<string, string>;
      assert.equal(named['HAZARD_KEY'], 'passed on');
      assert.doesNotMatch(JSON.stringify(named), /hidden/);
      assert.equal(named['PATH'], process.env['PATH']);
      await call('exit', { count: 0 });
      assert.doesNotMatch(JSON.stringify((await call('small')).structured), /hidden|passed on/);
    } finally {
      for (const name of Object.keys(variables)) delete process.env[name];
    }
  });

  it('may print as much as it likes, and only so much is logged', async () => {
    const start = scene.logged.length;
    assert.equal(textOf(await call('flood', { count: 15_000 })), 'printed');
    await until(() => scene.logged.some(({ message }) => /lines are left out/.test(message)), 'Lines are left out');
    const lines = scene.logged.slice(start).filter(({ message }) => message.startsWith('xxx'));
    assert.ok(lines.length > 0 && lines.length <= 300, `${lines.length} lines`);
  });

  it('is stopped when the client does not want it any more', async () => {
    const controller = new AbortController();
    const held = scene.client.call('hold', { count: 60_000 }, { signal: controller.signal });
    await pause(200);
    controller.abort();
    await assert.rejects(held);
    assert.match(textOf(await call('hold', { count: 1 })), /^done/);
  });
});

describe('isolated processes', () => {
  it('take with them what they started', async (t) => {
    if (process.platform === 'win32') t.skip('There are no process groups');
    const pids: number[] = [];
    const { client } = await open();
    await client.call('echo', { text: 'warm' });
    const result = await client.call('grandchild', {}, { onProgress: ({ done }) => pids.push(done) });
    assert.equal(codeOf(result), 'E_DEADLINE');
    assert.equal(pids.length, 1);
    await until(() => !isAlive(pids[0] as number), 'The grandchild is gone');
    await client.close();
  });

  it('are as many as are needed and may be', async () => {
    const { client } = await open({ isolateProcesses: 2 });
    const texts = await Promise.all([1, 2, 3, 4].map(() => client.call('hold', { count: 300 })));
    const pids = new Set(texts.map((result) => pidIn(textOf(result))));
    assert.equal(pids.size, 2);
    await client.close();
  });

  it('run several calls at once where that is allowed', async () => {
    const { client } = await open({ isolateProcesses: 1, isolateCalls: 4 });
    const texts = await Promise.all([1, 2, 3, 4].map(() => client.call('hold', { count: 300 })));
    assert.equal(new Set(texts.map((result) => pidIn(textOf(result)))).size, 1);
    await client.close();
  });

  it('refuse calls when too many wait', async () => {
    const { client } = await open({ isolateProcesses: 1, isolateQueue: 1 });
    await client.call('echo', { text: 'warm' });
    const [held, waiting, refused] = [1, 2, 3].map(() => client.call('hold', { count: 300 }));
    assert.equal(codeOf((await refused) as ToolResult), 'E_TOOL_BUSY');
    assert.match(textOf((await held) as ToolResult), /^done/);
    assert.match(textOf((await waiting) as ToolResult), /^done/);
    await client.close();
  });

  it('leave a queue at its deadline', async () => {
    const { client } = await open({ isolateProcesses: 1 });
    await client.call('echo', { text: 'warm' });
    const held = client.call('hold', { count: 600 });
    const waiting = client.call('stubborn');
    assert.equal(codeOf(await waiting), 'E_DEADLINE');
    assert.match(textOf(await held), /^done/);
    await client.close();
  });

  it('end with the server', async () => {
    const { client } = await open();
    const pid = pidIn(textOf(await client.call('hold', { count: 1 })));
    assert.ok(isAlive(pid));
    await client.close();
    await until(() => !isAlive(pid), 'The process is gone');
  });

  for (const revision of ['2025-11-25', '2026-07-28'] as const) {
    it(`pass on progress, messages, questions and what is done once, in ${revision}`, async () => {
      const progress: unknown[] = [];
      const { client } = await open(
        {},
        { revision, onQuestion: { elicit: () => ({ action: 'accept', content: { sure: true } }) } },
      );
      const result = await client.call('steps', {}, { onProgress: (notice) => progress.push(notice) });
      assert.equal(textOf(result), 'order 1: true');
      assert.ok(progress.length > 0);
      await client.close();
    });
  }
});

describe('an isolated module', () => {
  it('runs everything elsewhere, and says the same of itself', async () => {
    const module = isolated(FILE);
    const client = await connect(module);
    const other = new RegExp(`in (?!${process.pid}$)\\d+$`);
    assert.deepEqual(module.info, { name: 'hazards', version: '1.2.3' });
    assert.equal(module.instructions, 'Mind the edge.');
    assert.match((await client.read('hazard://place')).contents[0]?.text ?? '', other);
    assert.match((await client.read('hazard://page/one')).contents[0]?.text ?? '', other);
    assert.doesNotMatch(textOf(await client.call('near', { text: 'a' })), new RegExp(`from ${process.pid}$`));
    const { messages } = await client.prompt('warn', { what: 'ice' });
    assert.match(JSON.stringify(messages), /Warn of ice/);
    const ref = { type: 'resource', uri: 'hazard://page/{name}' } as const;
    assert.deepEqual((await client.complete({ ref, argument: { name: 'name', value: 't' } })).values, ['two']);
    assert.equal(codeOf(await client.call('exit', { count: 1 })), 'E_TOOL_CRASHED');
    assert.equal(textOf(await client.call('echo', { text: 'on' })), 'on');
    await client.close();
  });

  it('that cannot be loaded is refused at start, with its own words', async () => {
    const broken = isolated(fixture('isolated-broken'));
    await assert.rejects(connect(broken), {
      name: 'TypeError',
      message: /^Cannot load module ".*isolated-broken\.js" in a process of its own: It was never meant to work$/,
    });
  });

  it('that never finishes loading is refused after a time', async () => {
    const endless = isolated(fixture('isolated-endless'));
    await assert.rejects(connect(endless, { limits: { isolateStartMs: 500 } }), {
      name: 'TypeError',
      message: /it took too long to start$/,
    });
  });

  it('that isolates itself is refused, before each process starts the next', async () => {
    await assert.rejects(connect(isolated(fixture('isolated-itself'))), {
      name: 'TypeError',
      message: /this process is isolated itself$/,
    });
  });

  it('is one that says so itself', async () => {
    const [module] = await openModules([fixture('isolated-whole')], surroundings);
    assert.ok(module !== undefined);
    assert.equal(module.identity.info?.version, '3.0.0');
    const client = await connect(module.provider);
    assert.notEqual(textOf(await client.call('where')), String(process.pid));
    await client.close();
  });

  it('that cannot be loaded any more fails its calls, and comes back when it can', async () => {
    const sign = join(mkdtempSync(join(tmpdir(), 'parley-isolation-')), 'broken');
    process.env['WHOLE_BROKEN'] = sign;
    const [module] = await openModules([fixture('isolated-whole')], surroundings);
    assert.ok(module !== undefined);
    const client = await connect(module.provider);
    try {
      writeFileSync(sign, '');
      assert.equal(codeOf(await client.call('exit')), 'E_TOOL_CRASHED');
      for (let n = 0; n < 3; n += 1) assert.equal(codeOf(await client.call('where')), 'E_TOOL_CRASHED');
      rmSync(sign);
      let result = await client.call('where');
      // A start that was under way before may fail yet.
      if (result.failed === true) result = await client.call('where');
      assert.notEqual(result.failed, true);
    } finally {
      delete process.env['WHOLE_BROKEN'];
      await client.close();
      rmSync(dirname(sign), { recursive: true });
    }
  });

  it('that is not there is refused at once', () => {
    assert.throws(() => isolated('/nowhere/tools.js'), { name: 'TypeError', message: /no such file/ });
    assert.throws(() => isolated(FILE, { memoryBytes: 1 }), { name: 'RangeError', message: /memoryBytes/ });
  });
});
