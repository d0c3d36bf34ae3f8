import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import type { JsonObject } from '../model/json.ts';
import { createServer } from './server.ts';
import type { TemplateVariables, VariableName } from './variables.ts';

// The compiler runs these: a line that stops failing where it must fail no longer compiles.

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>) => {};

test('the types of schemas, templates and arguments reach the handlers', async () => {
  const server = createServer({ name: 'types', version: '1' });

  server.tool('none', {}, (input, call) => {
    same<typeof input, JsonObject>(true);
    same<typeof call.id, string>(true);
  });
  server.tool(
    'json',
    {
      input: {
        type: 'object',
        properties: { city: { type: 'string' }, days: { type: 'integer' }, unit: { enum: ['C', 'F'] } },
        required: ['city'],
      },
    },
    (input) => {
      same<typeof input.city, string>(true);
      same<typeof input.days, number | undefined>(true);
      same<typeof input.unit, 'C' | 'F' | undefined>(true);
      return input.city;
    },
  );
  const unknownUntilRun: JsonObject = { type: 'object' };
  server.tool('wide', { input: unknownUntilRun }, (input) => {
    same<typeof input, JsonObject>(true);
  });
  server.tool('zod', { input: z.object({ n: z.string().transform(Number), d: z.number().default(1) }) }, (input) => {
    same<typeof input, { n: number; d: number }>(true);
  });
  server.tool('valibot', { input: v.object({ city: v.string() }) }, ({ city }) => {
    same<typeof city, string>(true);
  });
  server.tool('arktype', { input: type({ city: 'string' }) }, ({ city }) => {
    same<typeof city, string>(true);
  });

  server.tool('out', { output: z.object({ n: z.number() }) }, () => ({ n: 1 }));
  server.tool('out-later', { output: z.object({ n: z.number() }) }, async () => ({ n: 1 }));
  server.tool('out-full', { output: z.object({ n: z.number() }) }, () => ({ content: [], structured: { n: 1 } }));
  server.tool('out-failed', { output: z.object({ n: z.number() }) }, () => ({ content: [], isError: true }));
  server.tool(
    'out-json',
    { output: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } },
    () => ({ n: 1 }),
  );
  // @ts-expect-error the output says number
  server.tool('out-bad', { output: z.object({ n: z.number() }) }, () => ({ n: 'one' }));
  // @ts-expect-error the output says number
  server.tool('out-bad-json', { output: { type: 'number' } }, () => 'one');
  // @ts-expect-error JSON cannot carry a BigInt
  server.tool('bigint', {}, () => 1n);
  interface Row {
    id: number;
  }
  server.tool('rows', {}, (): Row[] => [{ id: 1 }]);

  server.template('t', 'x:{id}{?page}', { complete: { page: () => ['1'] } }, (_uri, variables) => {
    same<typeof variables.id, string>(true);
    same<typeof variables.page, string | undefined>(true);
    return variables.id;
  });
  // @ts-expect-error the template has no such variable
  assert.throws(() => server.template('u', 'y:{id}', { complete: { other: () => [] } }, () => ''));
  same<VariableName<'a{x,y*}/{+z:3}{?q,r}{#f}'>, 'x' | 'y' | 'z' | 'q' | 'r' | 'f'>(true);
  same<VariableName<'plain'>, never>(true);
  same<TemplateVariables<string>, Readonly<Record<string, string>>>(true);

  server.prompt('p', { arguments: { who: { required: true }, tone: {} } }, (input) => {
    same<typeof input.who, string>(true);
    same<typeof input.tone, string | undefined>(true);
    // @ts-expect-error there is no such argument
    return input.other ?? input.who;
  });
  // @ts-expect-error a prompt is made of messages
  server.prompt('bad', {}, () => 5);
  // @ts-expect-error a resource is text or bytes
  server.resource('bad', 'x:bad', {}, () => 5);

  const handle = server.tool('h', { input: z.object({ a: z.string() }) }, ({ a }) => a);
  handle.update({ handler: ({ a }) => a.length, description: undefined });
  // @ts-expect-error a description is text
  handle.update({ description: 5 });

  assert.equal((await server.load()).tools?.length, 16);
});
