import assert from 'node:assert/strict';
import fs, { writeSync } from 'node:fs';
import { describe, it, mock } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { silent } from '../model/log.ts';
import { guardExit, guardStdout, surviveLateErrors } from './guard.ts';

describe('guardStdout', () => {
  // The test runner reports through stdout, so each test gives it back before it waits or ends.

  it('gives the protocol the real stdout and everyone else stderr', () => {
    const said: string[] = [];
    const noise: string[] = [];
    mock.method(process.stdout, 'write', (text: string) => said.push(text) > 0);
    mock.method(process.stderr, 'write', (text: string) => noise.push(text) > 0);
    const held = process.stdout;
    const guard = guardStdout({ log: silent });
    try {
      guard.output.write('protocol');
      process.stdout.write('asked');
      held.write('held');
      held.end('ended');
      assert.equal(process.stdout.fd, 2);
    } finally {
      guard.release();
      mock.restoreAll();
    }
    assert.deepEqual(said, ['protocol']);
    assert.deepEqual(noise, ['asked', 'held', 'ended']);
  });

  it('diverts writes to descriptor 1 and leaves all others alone', () => {
    const seen: unknown[] = [];
    mock.method(fs, 'writeSync', (descriptor: unknown) => seen.push(descriptor));
    const guard = guardStdout({ log: silent });
    try {
      fs.writeSync(1, '');
      writeSync(1, '');
      fs.writeSync(2, '');
      fs.writeSync(11, '');
    } finally {
      guard.release();
      mock.restoreAll();
    }
    assert.deepEqual(seen, [2, 2, 2, 11]);
  });

  it('diverts every path that means stdout and no other', () => {
    const seen: unknown[] = [];
    mock.method(fs, 'writeFileSync', (target: unknown) => seen.push(target));
    const guard = guardStdout({ log: silent });
    try {
      const paths = ['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1', `/proc/${process.pid}/fd/1`];
      for (const path of [...paths, Buffer.from('/dev/stdout'), new URL('file:///dev/stdout')])
        fs.writeFileSync(path, '');
      for (const path of ['/dev/stdout2', '/dev/fd/10', 'stdout']) fs.writeFileSync(path, '');
    } finally {
      guard.release();
      mock.restoreAll();
    }
    assert.deepEqual(seen, [2, 2, 2, 2, 2, 2, '/dev/stdout2', '/dev/fd/10', 'stdout']);
  });

  it('leaves promisified writes what they were', async () => {
    const file = fs.openSync('/dev/null', 'w');
    const guard = guardStdout({ log: silent });
    const written = promisify(fs.write)(file, 'four');
    guard.release();
    assert.equal((await written).bytesWritten, 4);
    fs.closeSync(file);
  });

  it('gives everything back when released', () => {
    const names = [
      'write',
      'writeSync',
      'writev',
      'writevSync',
      'open',
      'openSync',
      'writeFile',
      'appendFileSync',
    ] as const;
    const before = [
      process.stdout,
      process.stdout.write,
      process.stdout.end,
      ...names.map((name) => fs[name]),
      fs.promises.open,
    ];
    const guard = guardStdout({ log: silent });
    assert.notEqual(fs.writeSync, before[4]);
    guard.release();
    guard.release();
    const after = [
      process.stdout,
      process.stdout.write,
      process.stdout.end,
      ...names.map((name) => fs[name]),
      fs.promises.open,
    ];
    assert.deepEqual(
      after.map((value, index) => value === before[index]),
      before.map(() => true),
    );
    assert.equal(writeSync, fs.writeSync);
  });
});

describe('surviveLateErrors', () => {
  it('logs what nobody caught, until it is told to stop', async () => {
    const exceptions = process.listeners('uncaughtException');
    const rejections = process.listeners('unhandledRejection');
    process.removeAllListeners('uncaughtException').removeAllListeners('unhandledRejection');
    const logged: string[] = [];
    const stop = surviveLateErrors((severity, message, fields) => {
      logged.push(`${severity} ${message}: ${String(fields?.['error'])}`);
    });
    void Promise.reject(new Error('rejected'));
    setTimeout(() => {
      throw new Error('thrown');
    });
    await wait(20);
    stop();
    assert.equal(process.listenerCount('uncaughtException'), 0);
    assert.equal(process.listenerCount('unhandledRejection'), 0);
    for (const listener of exceptions) process.on('uncaughtException', listener);
    for (const listener of rejections) process.on('unhandledRejection', listener);
    assert.deepEqual(logged, [
      'error A promise was rejected outside any call: Error: rejected',
      'error An error was thrown outside any call: Error: thrown',
    ]);
  });
});

describe('guardExit', () => {
  it('has an exit fail for its caller alone, until it is given back', () => {
    const { exit } = process;
    const release = guardExit();
    assert.throws(() => process.exit(3), /it serves others too/);
    release();
    assert.equal(process.exit, exit);
  });

  it('takes nothing back that somebody else put in its place', () => {
    const { exit } = process;
    const release = guardExit();
    const other = (): never => {
      throw new Error('other');
    };
    process.exit = other;
    release();
    assert.equal(process.exit, other);
    process.exit = exit;
  });
});
