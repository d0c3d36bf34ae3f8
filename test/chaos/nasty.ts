import { spawn } from 'node:child_process';
import fs from 'node:fs';
import type { Call, Json, Server } from '../../src/index.ts';
import { BAD_ENDS, BAD_RESULTS, BAD_THROWS, INNER } from './misdeeds.ts';

// What the suites serve: tools that behave, and tools that do everything they should not.

const text = { type: 'string' } as const;
const whole = { type: 'integer', minimum: 0 } as const;
const how = { type: 'object', properties: { how: text }, required: ['how'] } as const;
const wait = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Fills a server. */
export default function fill(server: Server): void {
  addGood(server);
  addAsking(server);
  addBad(server);
  addLoud(server);
}

function addGood(server: Server): void {
  server.tool(
    'echo',
    {
      description: 'Says a text back, after a while and with progress if it is told so',
      input: { type: 'object', properties: { text, ms: whole, steps: whole }, required: ['text'] },
    },
    async ({ text, ms = 0, steps = 0 }, call) => {
      for (let step = 1; step <= steps; step += 1) {
        call.progress(step, steps, text);
        call.log('info', { text, step }, text.slice(0, 40));
        await wait(ms / steps, call.signal);
      }
      if (steps === 0 && ms > 0) await wait(ms, call.signal);
      return text;
    },
  );
  server.tool('plain', { input: { type: 'object', properties: { text }, required: ['text'] } }, ({ text }) => text);
  const jobInput = { type: 'object', properties: { text, ms: whole }, required: ['text'] } as const;
  server.tool('job', { input: jobInput, task: 'optional' }, async ({ text, ms = 0 }, call) => {
    call.progress(1, 2, text);
    await wait(ms, call.signal);
    return text;
  });
  server.tool(
    'touch',
    { input: { type: 'object', properties: { key: text }, required: ['key'] } },
    async ({ key }): Promise<string> => {
      server.updated(`note://${key}`);
      return key;
    },
  );
  server.template('note', 'note://{key}', {}, (_, { key }) => String(key));
  server.prompt('say', { arguments: { text: { required: true } } }, ({ text }) => text);
}

function addAsking(server: Server): void {
  server.tool(
    'ask',
    { input: { type: 'object', properties: { text }, required: ['text'] } },
    async ({ text }, call: Call) => {
      const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
      const first = await call.ask.elicit({ message: `Who? ${text}`, schema });
      const second = await call.ask.elicit({ message: `Really? ${text}`, schema });
      return `${text} ${first.content?.['name']} ${second.content?.['name']}`;
    },
  );
}

function addBad(server: Server): void {
  server.tool('throw', { input: how }, ({ how }) => BAD_THROWS[how]?.() as object);
  server.tool('result', { input: how }, ({ how }) => BAD_RESULTS[how]?.() as Json);
  server.tool('end', { input: how }, async ({ how }) => {
    await BAD_ENDS[how]?.();
    return 'still here';
  });
  server.tool('hang', { deadlineMs: 400 }, () => new Promise(() => {}));
  server.tool('deaf', {}, () => new Promise(() => {}));
  server.tool('huge', { input: { type: 'object', properties: { bytes: whole }, required: ['bytes'] } }, ({ bytes }) =>
    'x'.repeat(bytes),
  );
  const spinning = { input: { type: 'object', properties: { ms: whole }, required: ['ms'] } } as const;
  server.tool('spin', { ...spinning, deadlineMs: 3000, isolate: true } as typeof spinning, ({ ms }) => {
    for (const end = performance.now() + ms; performance.now() < end; );
    return 'spun';
  });
}

function addLoud(server: Server): void {
  const flooding = {
    type: 'object',
    properties: { what: text, count: whole, bytes: whole },
    required: ['what', 'count'],
  } as const;
  server.tool('flood', { input: flooding }, async ({ what, count, bytes = 100 }, call) => {
    const filler = 'f'.repeat(bytes);
    for (let at = 1; at <= count; at += 1) {
      if (what === 'progress') call.progress(at, count, filler);
      else if (what === 'log') call.log('error', filler);
      else server.updated(`note://${what}${at % 50}`);
      if (at % 1000 === 0) await wait(0);
    }
    return 'flooded';
  });
  server.tool('print', { input: how }, async ({ how }) => {
    await PRINTS[how]?.(`{"jsonrpc":"2.0","id":1,"result":"${INNER}"}\n`);
    return 'printed';
  });
}

/** Every way to print to stdout that a tool can find. */
const PRINTS: Readonly<Record<string, (line: string) => unknown>> = {
  console: (line) => console.log(line),
  write: (line) => process.stdout.write(line),
  descriptor: (line) => fs.writeSync(1, line),
  path: (line) => fs.appendFileSync('/dev/stdout', line),
  stream: (line) => new Promise<void>((done) => fs.createWriteStream('/proc/self/fd/1').end(line, done)),
  end: (line) => process.stdout.end(line),
  child: (line) =>
    new Promise<void>((done) => {
      const program = 'process.stdout.write(process.argv[1])';
      spawn(process.execPath, ['-e', program, line], { stdio: 'inherit', env: {} }).on('exit', () => done());
    }),
};
