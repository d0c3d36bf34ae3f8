import assert from 'node:assert/strict';
import { test } from 'node:test';
import { smallEnvironment } from './environment.ts';

const ALL = { PATH: '/bin', LANG: 'C', PARLEY_SECRET: 's', NODE_OPTIONS: '--inspect', AWS_KEY: 'k', API_KEY: 'a' };

test('smallEnvironment passes on what is plain and nothing else', () => {
  assert.deepEqual(smallEnvironment(ALL), { PATH: '/bin', LANG: 'C' });
});

test('smallEnvironment passes on what is named, where there is such a thing', () => {
  assert.deepEqual(smallEnvironment(ALL, ['API_KEY', 'MISSING']), { PATH: '/bin', LANG: 'C', API_KEY: 'a' });
});
