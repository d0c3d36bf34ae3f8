import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Interpreter } from './interpreter.ts';

const session = new Interpreter();
const value = (code: string) => {
  const { values, error } = session.evaluate({ code });
  assert.equal(error, undefined, code);
  return values[0] as string;
};

const integer = fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n });
const nonZero = integer.filter((number) => number !== 0n);
const name = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => !/[\ud800-\udfff]/.test(text));
const atom = fc.oneof(
  integer.map(String),
  fc.tuple(integer, nonZero).map(([top, bottom]) => `(/ ${top} ${bottom})`),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((float) => (Number.isInteger(float) ? (`${float}`.includes('e') ? '1.5' : `${float}.0`) : String(float))),
  fc
    .string({ maxLength: 12 })
    .filter((text) => !/[\ud800-\udfff]/.test(text))
    .map((text) => `"${text.replace(/[\\"]/g, '\\$&')}"`),
  name.map((text) => `(intern "${text.replace(/[\\"]/g, '\\$&')}")`),
  fc.constantFrom('nil', 't', ':key', '#\\a', '#\\Space', '#\\Newline', "'sym"),
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    atom,
    fc.array(tie('tree'), { maxLength: 4 }).map((items) => `(list ${items.join(' ')})`),
    fc.array(tie('tree'), { maxLength: 3 }).map((items) => `(vector ${items.join(' ')})`),
    fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => `(cons ${a} ${b})`),
  ),
}));

function ratioText(top: bigint, bottom: bigint): string {
  let [a, b] = [top < 0n ? -top : top, bottom < 0n ? -bottom : bottom];
  while (b !== 0n) [a, b] = [b, a % b];
  const sign = bottom < 0n ? -1n : 1n;
  const [above, below] = [(sign * top) / a, (sign * bottom) / a];
  return below === 1n ? String(above) : `${above}/${below}`;
}

describe('Properties of the embedded Lisp', () => {
  test('what the printer writes the reader takes back as an equal value', () => {
    fc.assert(
      fc.property(tree as fc.Arbitrary<string>, (form) => {
        assert.equal(value(`(let ((x ${form})) (equalp x (read-from-string (prin1-to-string x))))`), 'T', form);
      }),
      { numRuns: 200 },
    );
  });

  test('integers add, multiply and divide exactly', () => {
    fc.assert(
      fc.property(integer, nonZero, (a, b) => {
        assert.equal(value(`(+ ${a} ${b})`), String(a + b));
        assert.equal(value(`(- ${a} ${b})`), String(a - b));
        assert.equal(value(`(* ${a} ${b})`), String(a * b));
        assert.equal(value(`(truncate ${a} ${b})`), String(a / b));
        assert.equal(value(`(rem ${a} ${b})`), String(a % b));
        assert.equal(value(`(/ ${a} ${b})`), ratioText(a, b));
      }),
      { numRuns: 100 },
    );
  });

  test('every way of rounding gives a quotient and a rest that make the number again', () => {
    fc.assert(
      fc.property(integer, nonZero, fc.constantFrom('floor', 'ceiling', 'truncate', 'round'), (a, b, how) => {
        assert.equal(value(`(multiple-value-bind (q r) (${how} ${a} ${b}) (= ${a} (+ (* q ${b}) r)))`), 'T');
        assert.equal(value(`(< (abs (nth-value 1 (${how} ${a} ${b}))) (abs ${b}))`), 'T');
      }),
      { numRuns: 100 },
    );
  });

  test('ratios add and compare exactly', () => {
    fc.assert(
      fc.property(fc.tuple(integer, nonZero), fc.tuple(integer, nonZero), ([a, b], [c, d]) => {
        assert.equal(value(`(+ (/ ${a} ${b}) (/ ${c} ${d}))`), ratioText(a * d + c * b, b * d));
        assert.equal(value(`(= (- (/ ${a} ${b}) (/ ${c} ${d})) (- (- (/ ${c} ${d}) (/ ${a} ${b}))))`), 'T');
      }),
      { numRuns: 100 },
    );
  });

  test('any text is read or refused, and never breaks the session', () => {
    const piece = fc.constantFrom(
      '(',
      ')',
      "'",
      '`',
      ',',
      ',@',
      '#',
      '"',
      ';',
      '|',
      '\\',
      ':',
      '.',
      ' ',
      '\n',
      'a',
      '1',
      '/',
      '#(',
      "#'",
      '#\\',
      '#|',
      '|#',
      '#+',
      '#1=',
      '#1#',
      'nil',
      'let',
      'defun',
      'x',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        session.evaluate({ code: pieces.join(''), budgets: { timeMs: 200 } });
        assert.equal(value('(+ 1 2)'), '3');
      }),
      { numRuns: 500 },
    );
  });
});
