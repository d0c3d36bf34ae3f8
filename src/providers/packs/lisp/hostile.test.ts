import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Interpreter, validate } from './interpreter.ts';

const BUDGETS = { timeMs: 400, steps: 20_000_000, memoryBytes: 64 * 1024 * 1024, retainedBytes: 32 * 1024 * 1024 };
const LATE_MS = 1500;
const nested = (open: string, close: string, depth = 50_000) => open.repeat(depth) + close.repeat(depth);

/** Programs that ask for too much, and how each is stopped. */
const TOO_MUCH: readonly (readonly [code: string, type: RegExp])[] = [
  ['(loop)', /TIME|STEPS/],
  ['(loop (handler-case (loop) (condition () nil)))', /TIME|STEPS/],
  ['(loop (ignore-errors (loop)))', /TIME|STEPS/],
  ['(handler-case (loop) (t () :swallowed))', /TIME|STEPS/],
  ['(handler-bind ((condition (lambda (c) (loop)))) (loop))', /TIME|STEPS/],
  ['(unwind-protect (loop) (loop))', /TIME|STEPS/],
  ['(tagbody again (go again))', /TIME|STEPS/],
  ['(do () (nil))', /TIME|STEPS/],
  ['(eval (quote (loop)))', /TIME|STEPS/],
  ['(defun same (n) (same n)) (same 1)', /TIME|STEPS/],
  ['(defun ping (n) (pong n)) (defun pong (n) (ping n)) (ping 1)', /TIME|STEPS/],
  ['(defun down (n) (+ 1 (down n))) (down 1)', /DEPTH/],
  ['(defun a (n) (1+ (b n))) (defun b (n) (1+ (a n))) (a 1)', /DEPTH/],
  ['(labels ((f (x) (list (mapcar (lambda (y) (f y)) (list x))))) (f 1))', /DEPTH/],
  ['(defun f () (handler-case (list (f)) (type-error () 1))) (f)', /DEPTH|MEMORY/],
  ['(make-array 1000000000000)', /SIZE/],
  ["(make-array '(100000 100000))", /SIZE/],
  ['(make-list 100000000)', /SIZE/],
  ['(make-string 1000000000000)', /SIZE/],
  ['(expt 9 (expt 9 9))', /SIZE/],
  ['(expt 2/3 (expt 9 9))', /SIZE/],
  ['(ash 1 1000000000000)', /SIZE/],
  ['(let ((x 3)) (loop (setq x (* x x))))', /SIZE/],
  [`(list ${'9'.repeat(200_000)})`, /SIZE/],
  ['(parse-integer (make-string 200000 :initial-element #\\9))', /SIZE/],
  ['(let ((s "x")) (loop (setq s (concatenate (quote string) s s))))', /SIZE|MEMORY|TIME/],
  ['(let ((l nil)) (loop (push 1 l)))', /MEMORY|TIME|STEPS/],
  ['(let ((h (make-hash-table))) (loop for i from 0 do (setf (gethash i h) i)))', /MEMORY|TIME|STEPS/],
  ['(loop for i from 0 do (intern (format nil "S~a" i)))', /MEMORY|TIME|STEPS/],
  ['(with-output-to-string (s) (loop (princ "aaaa" s)))', /SIZE|MEMORY|TIME|STEPS/],
  ['(loop (princ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"))', /TIME|STEPS|MEMORY/],
  ['(let ((x (expt 3 160000))) (loop (print x)))', /TIME|STEPS|MEMORY/],
  ['(format nil "~1000000000000d" 1)', /SIZE/],
  ['(format nil "~v%" 100000000000)', /SIZE/],
  ['(defmacro again () (quote (again))) (again)', /DEPTH/],
  ['(defmacro grow (x) `(grow (list ,x ,x))) (grow 1)', /DEPTH/],
  ['(defmacro both (n) (if (= n 0) 1 `(progn (both ,(1- n)) (both ,(1- n))))) (both 40)', /TIME|STEPS|MEMORY/],
  [`'${nested('(', ')')}`, /DEPTH/],
  ['`'.repeat(50_000), /DEPTH/],
  ["'".repeat(50_000), /DEPTH/],
  ['(let ((x nil)) (dotimes (i 50000) (setq x (list x))) x)', /DEPTH/],
  ['(let ((x nil) (y nil)) (dotimes (i 50000) (setq x (list x) y (list y))) (equal x y))', /DEPTH/],
  ["(let ((x 'integer)) (dotimes (i 50000) (setq x (list 'not x))) (typep 1 x))", /DEPTH/],
  ['(let ((x (list 1))) (dotimes (i 60) (setq x (list x x))) x)', /TIME|STEPS|MEMORY/],
  ['(let ((l (list 1))) (setf (cdr l) l) (length l))', /TIME|STEPS|MEMORY/],
  ['(let ((a (list 1)) (b (list 1))) (setf (cdr a) a (cdr b) b) (equal a b))', /TIME|STEPS|MEMORY/],
  ['(sort (make-list 1000 :initial-element 1) (lambda (a b) (loop)))', /TIME|STEPS/],
  ['(gcd (expt 7 90000) (expt 5 100000))', /TIME|STEPS/],
  ['(defclass k () ()) (defmethod print-object ((k k) s) (print k s)) (make-instance (quote k))', /DEPTH/],
];

describe('Hostile Lisp', () => {
  for (const [code, type] of TOO_MUCH) {
    test(`ends in time with a budget condition: ${code.slice(0, 70)}`, () => {
      const session = new Interpreter();
      const start = performance.now();
      const { error } = session.evaluate({ code, budgets: BUDGETS });
      // On a busy machine the time may be over before any other budget is.
      assert.match(error?.type ?? 'none', new RegExp(`^PARLEY:(?:TIME|${type.source})-EXCEEDED$`));
      assert.ok(performance.now() - start < LATE_MS, 'it is stopped in time');
      assert.deepEqual(session.evaluate({ code: '(+ 1 2)' }).values, ['3']);
    });
  }

  test('lets a program handle what was refused before it was done', () => {
    const session = new Interpreter();
    const handled = (form: string) =>
      session.evaluate({ code: `(handler-case ${form} (storage-condition () :handled))` }).values;
    assert.deepEqual(handled('(make-array 1000000000000)'), [':HANDLED']);
    assert.deepEqual(handled('(expt 9 (expt 9 9))'), [':HANDLED']);
    assert.deepEqual(handled('(labels ((f (n) (+ 1 (f n)))) (f 1))'), [':HANDLED']);
    assert.deepEqual(handled('(parley:budget-exceeded)').length, 0);
  });

  test('prints what contains itself with labels', () => {
    const session = new Interpreter();
    const shown = (code: string) => session.evaluate({ code }).values[0];
    assert.equal(shown('(let ((l (list 1 2))) (setf (cddr l) l) l)'), '#1=(1 2 . #1#)');
    assert.equal(shown('(let ((l (list 1 2))) (setf (car l) l) l)'), '#1=(#1# 2)');
    assert.equal(shown('(let ((v (vector 1))) (setf (aref v 0) v) v)'), '#1=#(#1#)');
  });

  test('begins a session anew that holds on to too much', () => {
    const session = new Interpreter();
    const hoard = '(defvar *l* nil) (push (make-list 300000) *l*) (length *l*)';
    const results = Array.from({ length: 8 }, () => session.evaluate({ code: hoard, budgets: BUDGETS }));
    const restarted = results.find((result) => result.restarted);
    assert.equal(restarted?.error?.type, 'PARLEY:MEMORY-EXCEEDED');
    assert.deepEqual(session.evaluate({ code: '(+ 1 2)' }).values, ['3']);
  });

  test('gives a report that misbehaves no more than a little time', () => {
    const session = new Interpreter();
    const code = "(define-condition odd (error) () (:report (lambda (c s) (loop)))) (error 'odd)";
    assert.deepEqual(session.evaluate({ code, budgets: BUDGETS }).error, {
      type: 'ODD',
      message: 'The condition could not be reported.',
    });
  });

  test('says where a text breaks, however it breaks', () => {
    assert.deepEqual(validate('(a\n (b'), {
      forms: 0,
      error: 'end of file inside a list',
      line: 2,
      column: 2,
      unclosed: 2,
    });
    assert.deepEqual(validate('a )'), {
      forms: 1,
      error: 'unmatched close parenthesis',
      line: 1,
      column: 3,
      unclosed: 0,
    });
    assert.match(validate(nested('(', ')')).error ?? '', /nested too deeply/);
    assert.match(validate('"abc').error ?? '', /inside a string/);
    assert.match(validate('#|#|').error ?? '', /inside a comment/);
  });
});

/** Names that mean something to the host, and must mean nothing here. */
const NAMES: readonly (readonly [code: string, gives: string])[] = [
  ['(defun constructor () 1) (constructor)', '1'],
  ['(let ((__proto__ 5)) __proto__)', '5'],
  ["(setf (get 'x '__proto__) 1)", '1'],
  ["(gethash '__proto__ (make-hash-table))", 'NIL ; NIL'],
  ['(hasOwnProperty)', '!UNDEFINED-FUNCTION'],
  ['toString', '!UNBOUND-VARIABLE'],
  ["(typep 1 'constructor)", '!SIMPLE-ERROR'],
  ["(typep 1 '(constructor 1))", '!SIMPLE-ERROR'],
  ["(coerce 1 '__proto__)", '!SIMPLE-ERROR'],
  ["(make-hash-table :test 'constructor)", '!SIMPLE-ERROR'],
  ['(loop constructor x)', '!PROGRAM-ERROR'],
  ['(make-array 1 :constructor 2)', '!PROGRAM-ERROR'],
  ["(slot-value (make-condition 'error) 'constructor)", '!SIMPLE-ERROR'],
  ['(|process.exit|)', '!UNDEFINED-FUNCTION'],
  ['(require "fs")', '!UNDEFINED-FUNCTION'],
  ['(sleep 10)', '!UNDEFINED-FUNCTION'],
  ['(open "/etc/passwd")', '!UNDEFINED-FUNCTION'],
  ['(load "x")', '!UNDEFINED-FUNCTION'],
  ['(defun car (x) x)', '!PACKAGE-ERROR'],
  ["(setf (symbol-function 'car) #'cdr)", '!PACKAGE-ERROR'],
  ["(fmakunbound 'car)", '!PACKAGE-ERROR'],
  ['(in-package :cl) (defun new-word () 1)', '!PACKAGE-ERROR'],
  ['(defstruct (s (:conc-name "")) car)', '!PACKAGE-ERROR'],
  ['(setq t nil)', '!PROGRAM-ERROR'],
  ['(let ((nil 1)) nil)', '!PROGRAM-ERROR'],
  ['(setq pi 3)', '!PROGRAM-ERROR'],
];

describe('Names of the host', () => {
  for (const [code, gives] of NAMES) {
    test(`mean nothing in a program: ${code}`, () => {
      const { error, values } = new Interpreter().evaluate({ code, budgets: BUDGETS });
      assert.equal(error === undefined ? values.join(' ; ') : `!${error.type}`, gives);
    });
  }

  test('leak from one session to another in no way', () => {
    const [one, other] = [new Interpreter(), new Interpreter()];
    one.evaluate({
      code: "(defun secret () 1) (setf (get nil 'a) 1 (get :k 'a) 2 (get 'car 'a) 3) (setq *print-base* 2)",
    });
    const asked = "(list (fboundp 'secret) (get nil 'a) (get :k 'a) (get 'car 'a) 10)";
    assert.deepEqual(other.evaluate({ code: asked }).values, ['(NIL NIL NIL NIL 10)']);
  });
});
