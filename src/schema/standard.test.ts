import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SchemaError } from './compile.ts';
import { isStandardSchema, readSchema, type StandardResult, type StandardSchema } from './standard.ts';

type Standard = StandardSchema['~standard'];

function fake(changes: Partial<Standard> = {}): StandardSchema {
  return {
    '~standard': {
      version: 1,
      vendor: 'fake',
      validate: (value) => ({ value }),
      jsonSchema: { input: () => ({ title: 'in' }), output: () => ({ title: 'out' }) },
      ...changes,
    },
  };
}

function failing(issues: NonNullable<StandardResult<unknown>['issues']>): StandardSchema {
  return fake({ validate: () => ({ issues }) });
}

test('readSchema gives a JSON Schema back as it is, with a check that returns the value unchanged', async () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  const { json, check } = await readSchema(schema);
  assert.equal(json, schema);
  const value = { a: 'x' };
  const passed = await check(value);
  assert.ok(passed.ok && passed.value === value);
  assert.deepEqual(check({ a: 1 }), { ok: false, issues: ['/a: must be a string, got a number'] });
  assert.deepEqual(check(undefined), { ok: false, issues: ['must be an object, got nothing'] });
});

test('readSchema refuses a JSON Schema that cannot be compiled at once, not at the first call', () => {
  assert.throws(() => readSchema({ type: 'strin' }), SchemaError);
});

test('readSchema asks a Standard Schema for the side that is wanted, in JSON Schema 2020-12', async () => {
  const asked: unknown[] = [];
  const jsonSchema = {
    input: (options: unknown) => {
      asked.push(options);
      return { title: 'in' };
    },
    output: () => ({ title: 'out' }),
  };
  assert.deepEqual((await readSchema(fake({ jsonSchema }))).json, { title: 'in' });
  assert.deepEqual((await readSchema(fake({ jsonSchema }), { side: 'output' })).json, { title: 'out' });
  assert.deepEqual(asked, [{ target: 'draft-2020-12' }]);
});

test('readSchema takes a schema that is a function', async () => {
  const callable = Object.assign(() => true, fake());
  assert.ok(isStandardSchema(callable));
  assert.deepEqual((await readSchema(callable)).json, { title: 'in' });
});

test('A check hands on what a Standard Schema made of the value, now or later', async () => {
  const now = await readSchema(fake({ validate: (value) => ({ value: String(value).length }) }));
  assert.deepEqual(now.check('abc'), { ok: true, value: 3 });
  const later = await readSchema(fake({ validate: async (value) => ({ value: [value] }) }));
  assert.deepEqual(await later.check('abc'), { ok: true, value: ['abc'] });
});

test('A check renders the paths of every kind of library', async () => {
  const schema = failing([
    { message: 'raw', path: ['a', 0, 'b/c'] },
    { message: 'wrapped', path: [{ key: 'a' }, { key: 1 }] },
    { message: 'symbolic', path: [Symbol('s')] },
    { message: 'root' },
    { message: 'also root', path: [] },
  ]);
  const { check } = await readSchema(schema);
  assert.deepEqual(check(1), {
    ok: false,
    issues: ['/a/0/b~1c: raw', '/a/1: wrapped', '/Symbol(s): symbolic', 'root', 'also root'],
  });
});

test('A check reports a bounded number of issues of a bounded length', async () => {
  const { check } = await readSchema(failing(Array.from({ length: 1000 }, () => ({ message: 'm'.repeat(10_000) }))));
  const outcome = await check(1);
  assert.ok(!outcome.ok);
  assert.equal(outcome.issues.length, 10);
  assert.ok(outcome.issues.every((issue) => issue.length < 600));
});

test('A validator that throws is not taken for one that found issues', async () => {
  const { check } = await readSchema(
    fake({
      validate: () => {
        throw new Error('broken validator');
      },
    }),
  );
  assert.throws(() => check(1), /broken validator/);
});

test('readSchema says what to do about a schema without a JSON Schema form', () => {
  const without = (vendor: string) => () => readSchema(fake({ vendor, jsonSchema: undefined }));
  assert.throws(without('zod'), { name: 'TypeError', message: /the zod schema has no JSON Schema form; update zod/ });
  assert.throws(without('other'), { name: 'TypeError', message: /or give JSON Schema$/ });
});

test('readSchema says why a schema cannot be described', () => {
  const jsonSchema = {
    input: () => {
      throw new Error('Date cannot be represented');
    },
    output: () => ({}),
  };
  assert.throws(() => readSchema(fake({ jsonSchema })), {
    name: 'TypeError',
    message: /: Date cannot be represented$/,
  });
  const nothing = { input: () => undefined as never, output: () => ({}) };
  assert.throws(() => readSchema(fake({ jsonSchema: nothing })), /gave no JSON Schema object/);
});

test('readSchema converts a valibot schema with the package made for it', async () => {
  const schema = fake({ vendor: 'valibot', jsonSchema: undefined });
  const calls: unknown[] = [];
  const importer = async (name: string) => ({
    toJsonSchema: (given: unknown, options: unknown) => {
      calls.push([name, given === schema, options]);
      return { type: 'object' };
    },
  });
  const { json } = await readSchema(schema, { importer, side: 'output' });
  assert.deepEqual(json, { type: 'object' });
  assert.deepEqual(calls, [['@valibot/to-json-schema', true, { typeMode: 'output', target: 'draft-2020-12' }]]);
});

test('readSchema says which package to install for valibot schemas', async () => {
  const schema = fake({ vendor: 'valibot', jsonSchema: undefined });
  const missing = async () => readSchema(schema, { importer: () => Promise.reject(new Error('not found')) });
  await assert.rejects(missing, { name: 'TypeError', message: /install @valibot\/to-json-schema$/ });
  const old = async () => readSchema(schema, { importer: async () => ({}) });
  await assert.rejects(old, { name: 'TypeError', message: /update it$/ });
});

test('readSchema refuses what is no schema at all', () => {
  for (const source of [null, undefined, 'string', 3, []]) {
    assert.throws(() => readSchema(source as never), { name: 'TypeError', message: /give a JSON Schema object/ });
  }
});
