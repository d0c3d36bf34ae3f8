// What every Lisp engine must do. An engine's own test file is a few lines that call this.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Evaluation, LispEngine } from '../../src/providers/packs/lisp/contract.ts';
import type { Case } from './lisp-cases/case.ts';
import { conditions } from './lisp-cases/conditions.ts';
import { control } from './lisp-cases/control.ts';
import { data } from './lisp-cases/data.ts';
import { lists } from './lisp-cases/lists.ts';
import { numbers } from './lisp-cases/numbers.ts';
import { programs } from './lisp-cases/programs.ts';
import { strings } from './lisp-cases/strings.ts';

const LIMITS = { timeMs: 5000, outputChars: 1000 };
const FAMILIES: Readonly<Record<string, readonly Case[]>> = {
  numbers,
  lists,
  control,
  strings,
  data,
  conditions,
  programs,
};

const shown = ({ error, values }: Evaluation) => (error === undefined ? values.join(' ; ') : `!${error.type}`);

/** Runs the suite against engines made by `open`, each with a fresh session. */
export function lispContract(name: string, open: () => LispEngine): void {
  describe(`Lisp: ${name}`, () => {
    const engines: LispEngine[] = [];
    const fresh = () => {
      const engine = open();
      engines.push(engine);
      return engine;
    };
    after(() => Promise.all(engines.map((engine) => engine.close())));
    for (const [family, cases] of Object.entries(FAMILIES)) tableCase(family, cases, fresh);
    apartCases(fresh);
    sessionCases(fresh);
    limitCases(fresh);
    knowledgeCases(fresh);
  });
}

type Fresh = () => LispEngine;
const run = (engine: LispEngine, code: string, home?: string) =>
  engine.evaluate({ code, package: home, limits: LIMITS });

function tableCase(family: string, cases: readonly Case[], fresh: Fresh): void {
  test(`evaluates every form of the family "${family}" to what the table says`, async () => {
    const engine = fresh();
    const wrong: string[] = [];
    for (const [form, gives] of cases) {
      const evaluation = await run(engine, form);
      const got = shown(evaluation);
      const right = gives === '*' ? evaluation.error === undefined : got === gives;
      if (!right) wrong.push(`${form}\n    gives ${got}\n    not   ${gives}`);
    }
    assert.deepEqual(wrong, []);
  });
}

function apartCases(fresh: Fresh): void {
  test('keeps values, output, error output and warnings apart', async () => {
    const code = '(format t "out") (format *error-output* "err") (warn "careful ~a" 1) (values 1 "two")';
    const { values, output, errorOutput, warnings, error } = await run(fresh(), code);
    assert.deepEqual(values, ['1', '"two"']);
    assert.equal(output, 'out');
    assert.equal(errorOutput, 'err');
    assert.deepEqual(warnings, [{ type: 'SIMPLE-WARNING', message: 'careful 1' }]);
    assert.equal(error, undefined);
  });

  test('keeps the output made before an error, and the type of the error', async () => {
    const { output, values, error } = await run(fresh(), '(princ "before") (error "broken: ~a" 7)');
    assert.equal(output, 'before');
    assert.deepEqual(values, []);
    assert.deepEqual(error, { type: 'SIMPLE-ERROR', message: 'broken: 7' });
  });

  test('names a condition the program defined', async () => {
    const code =
      '(define-condition too-hot (error) ((by :initarg :by)) (:report "far too hot")) (error \'too-hot :by 3)';
    assert.deepEqual((await run(fresh(), code)).error, { type: 'TOO-HOT', message: 'far too hot' });
  });

  test('gives no values for no forms and for a form without values', async () => {
    const engine = fresh();
    assert.deepEqual((await run(engine, '  ; nothing\n')).values, []);
    assert.deepEqual((await run(engine, '(values)')).values, []);
  });

  test('runs nothing of a text that cannot be read to its end', async () => {
    const engine = fresh();
    const { error } = await run(engine, '(defvar *ran* t) (list 1');
    assert.equal(error?.type, 'END-OF-FILE');
    assert.equal(shown(await run(engine, "(boundp '*ran*)")), 'NIL');
  });

  test('reads nothing that would be evaluated while reading, and no input', async () => {
    const engine = fresh();
    assert.equal((await run(engine, '#.(+ 1 2)')).error?.type, 'READER-ERROR');
    assert.equal((await run(engine, '(read-line)')).error?.type, 'END-OF-FILE');
  });

  test('takes texts of several lines, quotes, backslashes and any script', async () => {
    const code = '(list "a\nb"\n  "q\\"q" "b\\\\s" "naïve 日本 😀")';
    assert.deepEqual((await run(fresh(), code)).values, ['("a\nb" "q\\"q" "b\\\\s" "naïve 日本 😀")']);
  });
}

function sessionCases(fresh: Fresh): void {
  test('keeps definitions from call to call', async () => {
    const engine = fresh();
    await run(engine, '(defun twice (x) (* 2 x)) (defvar *n* 20) (defmacro add1 (x) `(+ 1 ,x))');
    assert.equal(shown(await run(engine, '(add1 (twice *n*))')), '41');
  });

  test('keeps the current package, and gives one for a single call', async () => {
    const engine = fresh();
    await run(engine, '(defpackage :shop (:use :cl))');
    const { package: home } = await run(engine, '(in-package :shop)');
    assert.equal(home, 'SHOP');
    await run(engine, '(defun price () 9)');
    assert.equal(shown(await run(engine, '(price)')), '9');
    assert.equal(shown(await run(engine, '(shop::price)', 'cl-user')), '9');
    assert.equal((await run(engine, '(price)')).package, 'SHOP');
  });

  test('refuses a package that is not there', async () => {
    assert.equal((await run(fresh(), '1', 'nowhere')).error?.type, 'PACKAGE-ERROR');
  });

  test('lists definitions newest first, and forgets them with everything else', async () => {
    const engine = fresh();
    await run(engine, '(defun one () 1) (defvar *two* 2)');
    await run(engine, '(defmacro three () 3)');
    const before = await engine.definitions();
    assert.deepEqual(before, [
      { kind: 'macro', name: 'three' },
      { kind: 'variable', name: '*two*' },
      { kind: 'function', name: 'one' },
    ]);
    await engine.reset();
    assert.deepEqual(await engine.definitions(), []);
    assert.equal((await run(engine, '(one)')).error?.type, 'UNDEFINED-FUNCTION');
  });
}

function limitCases(fresh: Fresh): void {
  test('stops an endless loop in time, keeps its output and lives on', async () => {
    const engine = fresh();
    await run(engine, '(defvar *kept* 5)');
    const start = performance.now();
    const { error, output } = await engine.evaluate({
      code: '(princ "hello") (loop)',
      limits: { ...LIMITS, timeMs: 1000 },
    });
    assert.equal(error?.type, 'PARLEY:TIME-EXCEEDED');
    assert.equal(output, 'hello');
    assert.ok(performance.now() - start < 2000);
    assert.equal(shown(await run(engine, '*kept*')), '5');
  });

  test('stops endless recursion and lives on', async () => {
    const engine = fresh();
    const { error } = await run(engine, '(defun down (n) (+ 1 (down n))) (down 1)');
    assert.equal(error?.type, 'PARLEY:DEPTH-EXCEEDED');
    assert.equal(shown(await run(engine, '(+ 1 1)')), '2');
  });

  test('cuts a flood of output and counts what it dropped', async () => {
    const { output, dropped, values } = await run(fresh(), '(dotimes (i 5000 :done) (princ "x"))');
    assert.equal(output, 'x'.repeat(1000));
    assert.equal(dropped, 4000);
    assert.deepEqual(values, [':DONE']);
  });

  test('answers a call that was cancelled, and the one after it', async () => {
    const engine = fresh();
    await run(engine, '1');
    const controller = new AbortController();
    const waiting = engine.evaluate({ code: '(loop)', limits: LIMITS, signal: controller.signal });
    setTimeout(() => controller.abort(), 100);
    assert.equal((await waiting).error?.type, 'PARLEY:BUDGET-EXCEEDED');
    assert.equal(shown(await run(engine, '(+ 1 1)')), '2');
  });

  test('answers calls made at once one after another', async () => {
    const engine = fresh();
    await run(engine, '(defvar *count* 0)');
    const all = await Promise.all(Array.from({ length: 20 }, () => run(engine, '(incf *count*)')));
    assert.deepEqual(
      all.map(shown),
      all.map((_, index) => String(index + 1)),
    );
  });
}

function knowledgeCases(fresh: Fresh): void {
  test('describes a symbol, and says when there is none', async () => {
    const engine = fresh();
    await run(engine, '(defun greet (who) "Says hello." (list who))');
    const text = await engine.describe({ name: 'greet' });
    assert.match(text ?? '', /GREET/);
    assert.match(text ?? '', /WHO/);
    assert.match(text ?? '', /Says hello\./);
    assert.equal(await engine.describe({ name: 'no-such-symbol' }), undefined);
  });

  test('finds symbols by part of their name and by what they name', async () => {
    const engine = fresh();
    const found = await engine.apropos({ pattern: 'mapca', names: 'function' });
    assert.deepEqual(
      found.map(({ name }) => name),
      ['MAPCAN', 'MAPCAR'],
    );
    assert.deepEqual(await engine.apropos({ pattern: 'zzz-nothing' }), []);
  });

  test('expands a macro one step and all the way', async () => {
    const engine = fresh();
    await run(engine, '(defmacro inner (x) `(list ,x)) (defmacro outer (x) `(inner ,x))');
    const expand = async (full: boolean) => (await engine.expand({ form: '(outer 1)', full, limits: LIMITS })).values;
    assert.deepEqual(await expand(false), ['(INNER 1)']);
    assert.deepEqual(await expand(true), ['(LIST 1)']);
  });

  test('tells a text that can be read from one that cannot', async () => {
    const engine = fresh();
    assert.deepEqual(await engine.validate('(a b) (c)'), { forms: 2 });
    for (const text of ['(a (b)', '(a))', '"open'])
      assert.notEqual((await engine.validate(text)).error, undefined, text);
  });
}
