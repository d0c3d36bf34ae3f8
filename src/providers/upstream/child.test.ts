import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '../../model/fault.ts';
import type { Json } from '../../model/json.ts';
import { type ChildOptions, openChild } from './child.ts';
import type { Link } from './link.ts';

interface Heard {
  readonly link: Link;
  readonly messages: Json[];
  readonly lost: Error[];
  readonly closed: Promise<Fault>;
}

/** Starts a node program that is given as source. */
function start(source: string, options: Partial<ChildOptions> = {}): Heard {
  const link = openChild({ command: [process.execPath, '-e', source], ...options });
  const messages: Json[] = [];
  const lost: Error[] = [];
  const closed = new Promise<Fault>((resolve) => {
    link.open({ message: (message) => messages.push(message), lost: (fault) => lost.push(fault), closed: resolve });
  });
  return { link, messages, lost, closed };
}

const ECHO = 'process.stdin.pipe(process.stdout)';

async function until(check: () => boolean): Promise<void> {
  const end = Date.now() + 5000;
  while (!check()) {
    if (Date.now() > end) throw new Error('It never happened');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test('a child gets each message as one line and answers likewise', async () => {
  const { link, messages } = start(ECHO);
  link.send('{"a":1}', { alone: true });
  link.send('{"b":"é"}', { alone: true });
  await until(() => messages.length === 2);
  assert.deepEqual(messages, [{ a: 1 }, { b: 'é' }]);
  await link.close();
});

test('a child that prints what is no message is heard out, and its messages still arrive', async () => {
  const noise: Fault[] = [];
  const { link, messages, lost } = start('console.log("ready!\\n\\n{\\"ok\\":true}\\r"); process.stdin.resume()', {
    onNoise: (fault) => noise.push(fault),
  });
  await until(() => messages.length === 1);
  assert.deepEqual(messages, [{ ok: true }]);
  assert.deepEqual(
    noise.map(({ code }) => code),
    ['E_PARSE'],
  );
  assert.deepEqual(lost, []);
  await link.close();
});

test('a message over the limit is reported as lost, and the next one arrives', async () => {
  const { link, messages, lost } = start(
    'console.log(JSON.stringify("x".repeat(2000)) + "\\n1"); process.stdin.resume()',
    {
      messageBytes: 1000,
    },
  );
  await until(() => messages.length === 1);
  assert.deepEqual(messages, [1]);
  assert.equal((lost[0] as Fault | undefined)?.code, 'E_TOO_LARGE');
  await link.close();
});

test('what a child writes to stderr reaches the callback', async () => {
  let said = '';
  const { link, closed } = start('process.stderr.write("oh no"); process.exitCode = 3', {
    onStderr: (text) => {
      said += text;
    },
  });
  assert.match((await closed).message, /ended with code 3/);
  assert.equal(said, 'oh no');
  await link.close();
});

test('the last words of a child that exits are heard before it is said to be gone', async () => {
  const { link, messages, closed } = start('process.stdout.write("{\\"last\\":1}"); process.exit(0)');
  const fault = await closed;
  assert.equal(fault.code, 'E_CLOSED');
  assert.deepEqual(messages, [{ last: 1 }]);
  await link.close();
});

test('a program that does not exist closes the link with a clear fault', async () => {
  const { link, closed } = start('', { command: ['parley-no-such-program'] });
  link.send('{}', { alone: true });
  assert.match((await closed).message, /Cannot start "parley-no-such-program"/);
  await link.close();
});

test('arguments reach the program as they are: no shell sees them', async () => {
  const { link, messages } = start('', {
    command: [process.execPath, '-e', 'console.log(JSON.stringify(process.argv.slice(1)))', '$HOME; `id` && "x"', '*'],
  });
  await until(() => messages.length === 1);
  assert.deepEqual(messages, [['$HOME; `id` && "x"', '*']]);
  await link.close();
});

test('cwd and env are the child’s', async () => {
  const { link, messages } = start('console.log(JSON.stringify([process.cwd(), process.env.ONLY]))', {
    cwd: '/',
    env: { ONLY: 'this' },
  });
  await until(() => messages.length === 1);
  assert.deepEqual(messages, [['/', 'this']]);
  await link.close();
});

test('closing lets a child end by itself when its input ends', async () => {
  const { link, closed } = start(ECHO);
  await link.close();
  assert.equal((await closed).message, 'The connection is closed');
});

test('closing ends a child that ignores the end of its input, and one that ignores SIGTERM too', async () => {
  const deaf = 'setInterval(() => {}, 1000); process.stdin.on("data", () => {}); console.log(process.pid);';
  for (const source of [deaf, `process.on("SIGTERM", () => {}); ${deaf}`]) {
    const { link, messages } = start(source, { graceMs: 60 });
    await until(() => messages.length === 1);
    await link.close();
    assert.throws(() => process.kill(messages[0] as number, 0), { code: 'ESRCH' });
  }
});

test('an empty command is a mistake of the caller', () => {
  assert.throws(() => openChild({ command: [] }), TypeError);
});
