import { ToolError } from '../../src/model/fault.ts';
import { LOG_LEVELS } from '../../src/model/peer.ts';
import { type Fixture, SECRET } from './fixture-behind.ts';

const PIXEL = Buffer.from('pixel').toString('base64');
const SOUND = Buffer.from('sound').toString('base64');
const name = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

/** Tools that need nobody: results of every kind, failures of every kind, and notices. */
export function addTools(fixture: Fixture): void {
  addResults(fixture);
  addFailures(fixture);
  addNotices(fixture);
}

function addResults({ server, count }: Fixture): void {
  server.tool(
    'echo',
    {
      title: 'Echo',
      description: 'Says what it is told',
      input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      annotations: { title: 'Echo it', readOnlyHint: true, openWorldHint: false },
      icons: [{ src: 'data:image/png;base64,AAAA' }],
      meta: { 'example.org/shelf': 'top' },
    },
    ({ text }) => text,
  );
  server.tool(
    'add',
    {
      input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
      output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    },
    ({ a, b }) => ({ sum: a + b }),
  );
  server.tool(
    'primes',
    {
      output: { $defs: { prime: { type: 'integer', minimum: 2 } }, type: 'array', items: { $ref: '#/$defs/prime' } },
    },
    () => [2, 3, 5],
  );
  server.tool(
    'anything',
    { input: { type: 'object', properties: { yes: true, no: false, deep: { properties: { x: true } } } } },
    (input) => Object.keys(input).join(),
  );
  server.tool('nothing', {}, () => {});
  server.tool('counted', {}, () => String(count('counted')));
  server.tool('media', {}, () => [
    { type: 'text', text: 'text', annotations: { audience: ['user'], priority: 1 } },
    { type: 'image', data: PIXEL, mimeType: 'image/png' },
    { type: 'audio', data: SOUND, mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'test://text', mimeType: 'text/plain', text: 'embedded' } },
    { type: 'resource_link', uri: 'test://text', name: 'text', mimeType: 'text/plain' },
  ]);
  server.tool('about', {}, (_, { meta, dialect, peer, principal }) => ({
    meta,
    dialect,
    client: peer.client?.name ?? null,
    capabilities: peer.capabilities,
    principal: principal?.id ?? null,
  }));
  server.tool('lines', {}, () => 'a\nb\r\nc\u2028d\u2029e\u0000f\ud800');
}

function addFailures({ server, waitAt, signals }: Fixture): void {
  server.tool('throws', {}, () => {
    throw new Error(`Cannot open ${SECRET}`);
  });
  server.tool('rejects', {}, async () => {
    await null;
    throw Object.assign(new Error(`Cannot open ${SECRET}`), { code: 'ENOENT', path: SECRET });
  });
  server.tool('refuses', {}, () => {
    throw new ToolError('There is no more milk');
  });
  server.tool(
    'unfit',
    { output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } },
    () => ({ sum: SECRET }) as never,
  );
  server.tool('unwritable', {}, () => ({ big: 1n, [SECRET]: SECRET }));
  server.tool('huge', {}, () => 'x'.repeat(20 * 1024 * 1024));
  server.tool('wait', { input: name }, async (input, { signal }) => {
    signals.set(input.name, signal);
    await waitAt(input.name);
    return 'done';
  });
  server.tool(
    'brief',
    { deadlineMs: 20 },
    (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('late'))),
  );
}

function addNotices({ server, waitAt }: Fixture): void {
  server.tool('steps', {}, async (_, call) => {
    for (const done of [1, 2, 2, 1, Number.NaN, 3]) call.progress(done, 3, `step ${done}`);
    for (const done of [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) call.progress(done);
    setTimeout(() => call.progress(4, 3, 'too late'));
    return 'walked';
  });
  server.tool('vague', {}, (_, call) => {
    call.progress(1, Number.NaN);
    call.progress(2, Number.POSITIVE_INFINITY);
    call.log('error', undefined as never);
    call.log('shouting' as never, 'unheard');
    return 'shrugged';
  });
  server.tool('many', {}, (_, call) => {
    for (let done = 1; done <= 1000; done += 1) call.progress(done);
    return 'counted';
  });
  server.tool('chatter', {}, (_, call) => {
    for (const level of LOG_LEVELS) call.log(level, { level }, 'fixture');
    setTimeout(() => call.log('emergency', 'too late'));
    return 'said';
  });
  server.tool('flood', {}, (_, call) => {
    for (let at = 0; at < 1000; at += 1) call.log('error', at);
    return 'flooded';
  });
  server.tool('busy', { input: name }, async (input, call) => {
    call.progress(1);
    await waitAt(input.name);
    call.progress(2);
    call.log('emergency', 'after');
    return 'done';
  });
}
