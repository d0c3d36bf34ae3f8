import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Call } from '../../../model/call.ts';
import type { ToolResult } from '../../../model/items.ts';
import type { JsonObject } from '../../../model/json.ts';
import { createLisp } from './pack.ts';

async function open(sessions?: number) {
  const server = createLisp(sessions === undefined ? {} : { sessions });
  const { tools = [] } = await server.load();
  const use = async (name: string, input: JsonObject = {}, who?: string): Promise<ToolResult> => {
    const entry = tools.find(({ tool }) => tool.name === name);
    assert.ok(entry, name);
    const checked = (await entry.checkInput?.(input)) ?? { ok: true as const, value: input };
    if (!checked.ok) return { content: [{ type: 'text', text: checked.issues.join('; ') }], failed: true };
    const principal = who === undefined ? undefined : { id: who, scopes: [] };
    const result = await entry.run(checked.value, {
      signal: new AbortController().signal,
      principal,
    } as unknown as Call);
    const fits = result.structured === undefined || (await entry.checkOutput?.(result.structured))?.ok !== false;
    assert.ok(fits, `${name} gives what its schema says`);
    return result;
  };
  const text = async (name: string, input?: JsonObject, who?: string) => textOf(await use(name, input, who));
  return { tools, use, text, evaluate: (code: string, who?: string) => use('evaluate-lisp', { code }, who) };
}

function textOf({ content: [first] }: ToolResult): string {
  return first?.type === 'text' ? first.text : '';
}

describe('The lisp pack', () => {
  test('offers evaluate-lisp and the tools around a session', async () => {
    const { tools } = await open();
    const names = [
      'evaluate-lisp',
      'macroexpand-form',
      'reset-session',
      'list-definitions',
      'configure-limits',
      'describe-last-error',
      'describe-symbol',
      'apropos-search',
      'validate-syntax',
    ];
    assert.deepEqual(
      tools.map(({ tool }) => tool.name),
      names,
    );
  });

  test('shows output, warnings and values in this order (INV-004)', async () => {
    const { evaluate } = await open();
    const result = await evaluate('(format t "Hello") (format *error-output* "hm") (warn "careful") (values 1 2)');
    assert.equal(textOf(result), 'Hello\n[stderr] hm\n[Warning] SIMPLE-WARNING: careful\n=> 1\n=> 2\n');
    assert.equal(result.failed, false);
    assert.deepEqual(result.structured, {
      values: ['1', '2'],
      output: 'Hello',
      errorOutput: 'hm',
      warnings: [{ type: 'SIMPLE-WARNING', message: 'careful' }],
      package: 'COMMON-LISP-USER',
    });
    assert.equal(textOf(await evaluate('(values)')), '; No values\n');
  });

  test('an error is a failed result with the type of its condition (INV-006), and describe-last-error tells it again', async () => {
    const { evaluate, text } = await open();
    assert.equal(await text('describe-last-error'), 'No error has happened in this session.');
    const result = await evaluate('(princ "x") (/ 1 0)');
    assert.equal(result.failed, true);
    assert.match(textOf(result), /^x\n\[ERROR\] DIVISION-BY-ZERO\n/);
    assert.equal((result.structured as { error: { type: string } }).error.type, 'DIVISION-BY-ZERO');
    assert.match(
      await text('describe-last-error'),
      /^Type: DIVISION-BY-ZERO\nMessage: .*\n.*\nCode: \(princ "x"\) \(\/ 1 0\)$/,
    );
  });

  test('definitions and the package persist (INV-003) until the session is reset', async () => {
    const { evaluate, text } = await open();
    await evaluate('(defpackage :shop (:use :cl)) (in-package :shop) (defun price (x) (* 2 x))');
    assert.equal(textOf(await evaluate('(price 4)')), '=> 8\n');
    assert.equal(await text('list-definitions'), 'Defined in this session:\n  function: shop::price');
    assert.equal(await text('list-definitions', { type: 'macro' }), 'Nothing is defined in this session.');
    await text('reset-session');
    assert.equal(await text('list-definitions'), 'Nothing is defined in this session.');
    assert.equal((await evaluate('(price 4)')).failed, true);
  });

  test('each principal has a session of its own, and the one unused for longest goes', async () => {
    const { evaluate } = await open(2);
    await evaluate('(defvar *x* 1)', 'ann');
    await evaluate('(defvar *x* 2)', 'bob');
    assert.equal(textOf(await evaluate('*x*', 'ann')), '=> 1\n');
    await evaluate('1', 'cid');
    assert.equal(textOf(await evaluate('*x*', 'ann')), '=> 1\n');
    assert.equal((await evaluate('*x*', 'bob')).failed, true);
  });

  test('limits can be set and seen, and a late evaluation says which to change', async () => {
    const { evaluate, text, use } = await open();
    assert.equal(
      await text('configure-limits'),
      'Limits of this session:\n  timeout: 5 second(s)\n  max-output: 100000 characters',
    );
    assert.match(
      await text('configure-limits', { timeout: 1, 'max-output': 100 }),
      /timeout: 1 second\(s\)\n {2}max-output: 100 characters/,
    );
    assert.equal((await use('configure-limits', { timeout: 1000 })).failed, true);
    const late = textOf(await evaluate('(princ "a") (loop)'));
    assert.match(late, /^a\n\[TIMEOUT\] Evaluation exceeded 1 second\(s\)\n\[ERROR\] PARLEY:TIME-EXCEEDED\n/);
    assert.match(late, /configure-limits/);
    assert.match(
      textOf(await evaluate('(dotimes (i 200) (princ "x"))')),
      /\[Output truncated at 100 of 200 characters\]/,
    );
  });

  test('knows symbols, expands macros and checks syntax', async () => {
    const { text, use } = await open();
    assert.match(
      await text('describe-symbol', { name: 'mapcar' }),
      /MAPCAR names a function:\n {4}Lambda-list: \(FUNCTION LIST &REST LISTS\)/,
    );
    assert.equal((await use('describe-symbol', { name: 'nothing-there' })).failed, true);
    assert.match(
      await text('apropos-search', { pattern: 'hash-table', type: 'function' }),
      /MAKE-HASH-TABLE \[function\]/,
    );
    assert.equal(await text('macroexpand-form', { form: '(incf x)' }), '=> (SETQ X (+ X 1))\n');
    assert.equal(await text('validate-syntax', { code: '(a) (b)' }), '✓ Syntax valid: 2 top-level form(s)');
    assert.match(
      await text('validate-syntax', { code: '(a' }),
      /^✗ Syntax invalid\nError: end of file inside a list\nOpened and not closed: 1\nNear line 1, column 1$/,
    );
  });

  test('capture-time adds a line, and nothing without it', async () => {
    const { text } = await open();
    assert.match(
      await text('evaluate-lisp', { code: '1', 'capture-time': true }),
      /^=> 1\n\n; Timing: [\d.]+ms real, \d+ bytes allocated\n$/,
    );
  });

  test('ten thousand bad requests are answered, and the good one after them too (INV-001, INV-002, INV-005)', async () => {
    const { use, evaluate } = await open();
    const bad: readonly JsonObject[] = [
      {},
      { code: 5 },
      { code: '(' },
      { code: '(car 5)' },
      { code: ')' },
      { code: '(undefined-thing)' },
      { code: '1', package: 'nowhere' },
      { code: '1', extra: true },
      { code: '#.1' },
      { code: '(error "x")' },
    ];
    for (let round = 0; round < 1000; round++) {
      const results = await Promise.all(bad.map((input) => use('evaluate-lisp', input)));
      assert.ok(results.every(({ failed }) => failed === true));
    }
    assert.equal(textOf(await evaluate('(+ 1 2)')), '=> 3\n');
  });
});
