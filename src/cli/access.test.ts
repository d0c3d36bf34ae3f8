import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readAccess } from './access.ts';
import { UsageError } from './command.ts';

const read = (flags: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv = {}) =>
  readAccess((flag) => flags[flag], env);

test('nothing said means that nobody is checked', () => {
  assert.deepEqual(read({}), { access: undefined, rules: [] });
});

test('lists may have commas or spaces, and the client that asks about tokens comes from the environment', () => {
  const env = { PARLEY_AUTH_CLIENT_ID: 'me', PARLEY_AUTH_CLIENT_SECRET: 'hush' };
  const { access } = read(
    {
      'auth-issuer': 'https://as.example',
      'auth-scopes': 'a, b c',
      'auth-audience': 'x',
      'auth-types': 'JWT,at+jwt',
      'auth-introspection': 'https://as.example/ask',
    },
    env,
  );
  assert.deepEqual(access?.scopes, ['a', 'b', 'c']);
  assert.deepEqual(access?.audiences, ['x']);
  assert.deepEqual(access?.types, ['JWT', 'at+jwt']);
  assert.deepEqual(access?.introspection, { url: 'https://as.example/ask', client: { id: 'me', secret: 'hush' } });
});

test('half of a setting is a mistake, and not an open door', () => {
  for (const flag of ['auth-audience', 'auth-scopes', 'auth-types', 'auth-introspection'])
    assert.throws(() => read({ [flag]: 'x' }), UsageError, flag);
  const asking = { 'auth-issuer': 'https://as.example', 'auth-introspection': 'https://as.example/ask' };
  assert.throws(() => read(asking), /PARLEY_AUTH_CLIENT_ID/);
});

test('rules come from a file, with or without tokens, and a slip in it stops the start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-rules-'));
  const file = join(folder, 'access.json');
  const write = (value: unknown) => writeFileSync(file, JSON.stringify(value));
  const rules = [{ tools: ['admin_*'], scopes: ['admin'] }];
  try {
    write({ rules, implies: { admin: ['read'] } });
    assert.deepEqual(read({ access: file }), { access: undefined, rules });
    const { access } = read({ access: file, 'auth-tokens': 'tokens.json' });
    assert.deepEqual(access?.implies, { admin: ['read'] });
    for (const [bad, message] of [
      [{ rule: [] }, /nobody knows "rule"/],
      [{ rules: {} }, /"rules" must be a list/],
      [{ rules: [{ tools: ['x'] }] }, /access rule 1/],
      [{ implies: { admin: 'read' } }, /"implies"/],
      [{ implies: [] }, /"implies"/],
    ] as const) {
      write(bad);
      assert.throws(() => read({ access: file }), message);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
