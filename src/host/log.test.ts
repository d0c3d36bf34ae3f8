import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRedact } from '../model/redact.ts';
import { createLog, type LogOptions, oneLine, sturdy } from './log.ts';

function collect(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  return { lines, log: createLog({ level: 'debug', write: (line) => lines.push(line), ...options }) };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\udb40/;

describe('createLog', () => {
  it('writes one line of JSON for each entry of its level and above', () => {
    const { lines, log } = collect({ level: 'warn' });
    log('info', 'too quiet');
    log('warn', 'said', { code: 'E_X', gone: undefined });
    assert.equal(lines.length, 1);
    const { time, ...rest } = JSON.parse(lines[0] ?? '');
    assert.match(time, /^\d{4}-/);
    assert.deepEqual(rest, { level: 'warn', message: 'said', code: 'E_X' });
  });

  for (const pretty of [false, true]) {
    it(`keeps every entry on one line that nothing obeys, ${pretty ? 'for people' : 'for programs'}`, () => {
      const { lines, log } = collect({ pretty });
      fc.assert(
        fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (message, value) => {
          lines.length = 0;
          log('info', message, { name: value, [value]: value, error: new Error(value) });
          assert.equal(lines.length, 1);
          assert.equal(lines[0]?.indexOf('\n'), (lines[0]?.length ?? 0) - 1);
          assert.doesNotMatch(lines[0] ?? '', OBEYED);
        }),
      );
      const hostile = 'x\r\n{"level":"error"}\u001b[2J\u2028\u202e\u{e0041}\u0085\ufeff';
      log('info', hostile, { session: hostile, tool: hostile, 'user-agent': hostile });
      assert.doesNotMatch(lines.at(-1) ?? '', OBEYED);
    });
  }

  it('bounds a line however long what it says is, and the line stays JSON', () => {
    const { lines, log } = collect({ lineLength: 1000 });
    for (const text of ['x'.repeat(1e6), '\u0001'.repeat(1e6), '"'.repeat(1e6), '\u{e0041}'.repeat(1e5)]) {
      log('error', text, { error: new Error(text), more: text });
      const line = lines.at(-1) ?? '';
      assert.ok(line.length <= 1001, String(line.length));
      assert.equal(JSON.parse(line).level, 'error');
    }
  });

  it('takes secrets out of messages, fields and errors, by name, by shape and by value', () => {
    const { lines, log } = collect({ redact: createRedact(['known-value']) });
    log('error', 'failed with password=hunter2 and known-value', {
      authorization: 'Bearer hunter2',
      nested: { api_key: 'hunter2', list: [{ sessionId: 'hunter2' }] },
      url: 'https://me:hunter2@example.org/?token=hunter2',
      error: new Error('Authorization: Bearer hunter2hunter2', { cause: new Error('known-value') }),
    });
    assert.doesNotMatch(lines.join(''), /hunter2|known-value/);
    assert.match(lines.join(''), /\[redacted\]/);
  });

  it('never throws, whatever it is given and however it is written', () => {
    const { lines, log } = collect();
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const thrown = new Proxy(new Error('x'), { get: () => assert.fail('trap') });
    for (const cause of [10n, cycle, Symbol('s'), thrown, null, undefined, () => 1]) log('error', 'said', { cause });
    assert.equal(lines.length, 7);
    for (const line of lines) assert.equal(JSON.parse(line).message, 'said');
    createLog({ level: 'info', write: () => assert.fail('disk full') })('info', 'said');
  });

  it('writes nothing at all where it is silent', () => {
    const { lines, log } = collect({ level: 'silent' });
    log('error', 'said');
    assert.deepEqual(lines, []);
  });
});

describe('sturdy', () => {
  it('keeps the failure of a log from whoever logs', () => {
    sturdy(() => assert.fail('a log that fails'))('info', 'said');
  });
});

describe('oneLine', () => {
  it('makes one line without secrets of a text', () => {
    assert.equal(oneLine('a\nb token=hunter2 \u001b'), 'a\\u000ab token=[redacted] \\u001b');
  });
});
