import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Interpreter } from './interpreter.ts';

/** Where this Lisp is itself: floats are double, quotes are short, characters show. */
const OWN: readonly (readonly [code: string, gives: string])[] = [
  ['(float 1/4)', '0.25'],
  ['(sqrt 16)', '4.0'],
  ['(sqrt 2)', '1.4142135623730951'],
  ['(log 8 2)', '3.0'],
  ['(atan 1 1)', '0.7853981633974483'],
  ['(ffloor 7 2)', '3.0 ; 1'],
  ['(float 123456789012345678901234567890)', '1.2345678901234568e29'],
  ['(typep 1.5f0 (quote double-float))', 'T'],
  ['(sqrt -4)', '!SIMPLE-ERROR'],
  ['(expt 10.0 400)', '!FLOATING-POINT-OVERFLOW'],
  ["''a", "'A"],
  ["'#'car", "#'CAR"],
  ['#\\Space', '#\\Space'],
  ['(char "日本" 1)', '#\\本'],
  ['(length "😀")', '1'],
  ["(fboundp 'car)", 'T'],
  ['(loop for x in (list 1 2 3 4) do (when (= x 3) (loop-finish)) collect x)', '(1 2)'],
  [
    '(defsetf head (l) (v) `(progn (rplaca ,l ,v) ,v)) (defun head (l) (car l)) (let ((l (list 1))) (setf (head l) 9) l)',
    '(9)',
  ],
  ['#2A((1 2) (3 4))', '#2A((1 2) (3 4))'],
  ['#2A((1 2) (3))', '!READER-ERROR'],
  ['#+parley 1 #-parley 2', '1'],
  ['(list #+sbcl 1 #-sbcl 2)', '(2)'],
  ['cl-user::x', '!UNBOUND-VARIABLE'],
  ['cl:no-such-word', '!READER-ERROR'],
  ['nowhere:x', '!READER-ERROR'],
  ['a:b:c', '!READER-ERROR'],
  ['(1 . 2 3)', '!READER-ERROR'],
  ['( . 1)', '!READER-ERROR'],
  [',x', '!READER-ERROR'],
  ['(1 2', '!END-OF-FILE'],
  ['#\\nosuchname', '!READER-ERROR'],
  ['(5 6)', '!PROGRAM-ERROR'],
  ['(let ((5 1)) 1)', '!PROGRAM-ERROR'],
  ['(defun 5 () 1)', '!TYPE-ERROR'],
  ['(go nowhere)', '!PROGRAM-ERROR'],
  ['(return-from nowhere 1)', '!PROGRAM-ERROR'],
  ["(catch 'a (throw 'b 1))", '!CONTROL-ERROR'],
  ['(funcall (block b (lambda () (return-from b 1))))', '!CONTROL-ERROR'],
  ['(labels ((f (n) (if (= n 0) :done (f (1- n))))) (f 200000))', ':DONE'],
];

describe('The embedded Lisp', () => {
  for (const [code, gives] of OWN) {
    test(`evaluates ${code}`, () => {
      const { error, values } = new Interpreter().evaluate({ code });
      assert.equal(error === undefined ? values.join(' ; ') : `!${error.type}`, gives);
    });
  }

  test('says in what line and column a text cannot be read', () => {
    const { error } = new Interpreter().evaluate({ code: '(list 1\n  nowhere:x)' });
    assert.deepEqual(error, { type: 'READER-ERROR', message: 'package "NOWHERE" does not exist at line 2, column 3' });
  });

  test('keeps the last values under the names of a listener', () => {
    const session = new Interpreter();
    for (const code of ['1', '2', '3']) session.evaluate({ code });
    assert.deepEqual(session.evaluate({ code: '(list * ** ***)' }).values, ['(3 2 1)']);
  });

  test('takes back dynamic bindings however an evaluation ends', () => {
    const session = new Interpreter();
    session.evaluate({ code: '(defvar *x* 1)' });
    for (const end of ['(error "x")', '(loop)', '(labels ((f () (+ 1 (f)))) (f))'])
      session.evaluate({ code: `(let ((*x* 2) (*print-base* 2)) ${end})`, budgets: { timeMs: 50 } });
    assert.deepEqual(session.evaluate({ code: '(list *x* 10)' }).values, ['(1 10)']);
  });

  test('runs the cleanup of a program on errors, and not when its budget is used up', () => {
    const session = new Interpreter();
    session.evaluate({ code: '(defvar *n* 0)' });
    session.evaluate({ code: '(unwind-protect (error "x") (incf *n*))' });
    assert.deepEqual(session.evaluate({ code: '*n*' }).values, ['1']);
    session.evaluate({ code: '(unwind-protect (loop) (incf *n*))', budgets: { timeMs: 50 } });
    assert.deepEqual(session.evaluate({ code: '*n*' }).values, ['1']);
  });
});
