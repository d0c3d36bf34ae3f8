import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Member } from '../host/crew/member.ts';
import type { Settings } from '../host/settings.ts';
import { readWorkers, settingsOf } from './workers.ts';

describe('readWorkers', () => {
  it('is one unless somebody says otherwise', () => {
    assert.equal(readWorkers(undefined), 1);
    assert.equal(readWorkers('4'), 4);
  });

  for (const text of ['0', '-1', '1.5', 'two', '', '257', '1e2', ' 2']) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(() => readWorkers(text), /give a number from 1 to 256/);
    });
  }
});

describe('settingsOf', () => {
  const settings: Settings = { modules: [], logLevel: 'info', logFile: '/var/log/parley.log', audit: 'audit' };
  const second = { number: 2 } as Member;

  it('gives each worker files of its own', () => {
    assert.deepEqual(settingsOf(settings, second), { ...settings, logFile: '/var/log/parley.2.log', audit: 'audit.2' });
  });

  it('leaves alone what is no file, and who is alone', () => {
    const spoken: Settings = { modules: [], logLevel: 'info', audit: 'stderr' };
    assert.deepEqual(settingsOf(spoken, second), spoken);
    assert.equal(settingsOf(settings, undefined), settings);
  });
});
