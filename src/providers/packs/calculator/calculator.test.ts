import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runTool, textIn } from '../../../../test/packs/run-tool.ts';
import { Fault } from '../../../model/fault.ts';
import type { JsonObject } from '../../../model/json.ts';
import { createCalculator } from './calculator.ts';
import { evaluate } from './expression.ts';
import { ArithmeticTrouble } from './numbers.ts';

const calculator = createCalculator();
const call = (input: JsonObject) => runTool(calculator, { name: 'calculator', input });
const failing = (code: string, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Fault, String(error));
  assert.equal(error.code, code);
  assert.match(error.message, message);
  return true;
};

describe('the four operations', () => {
  test('answer with what was done and the result, as HyperServe does', async () => {
    const cases = [
      ['add', 1.5, 2, '{"operation":"1.50 add 2.00","result":3.5}'],
      ['subtract', 1, 3, '{"operation":"1.00 subtract 3.00","result":-2}'],
      ['multiply', -2, 2.25, '{"operation":"-2.00 multiply 2.25","result":-4.5}'],
      ['divide', 1, 4, '{"operation":"1.00 divide 4.00","result":0.25}'],
      ['multiply', -1, 0, '{"operation":"-1.00 multiply 0.00","result":0}'],
    ] as const;
    for (const [operation, a, b, text] of cases) assert.equal(textIn(await call({ operation, a, b })), text);
  });

  test('fail clearly where there is no number to give', async () => {
    await assert.rejects(call({ operation: 'divide', a: 1, b: 0 }), failing('E_TOOL_ERROR', /^Division by zero$/));
    await assert.rejects(call({ operation: 'divide', a: 0, b: 0 }), failing('E_TOOL_ERROR', /^Division by zero$/));
    await assert.rejects(call({ operation: 'multiply', a: 1e308, b: 10 }), failing('E_TOOL_ERROR', /out of range/));
    await assert.rejects(call({ operation: 'add', a: 1e308, b: 1e308 }), failing('E_TOOL_ERROR', /out of range/));
  });

  test('refuse what is no such operation', async () => {
    const bad: JsonObject[] = [
      {},
      { operation: 'add', a: 1 },
      { operation: 'add', a: '1', b: 2 },
      { operation: 'power', a: 1, b: 2 },
      { operation: 'constructor', a: 1, b: 2 },
      { operation: 'add', a: 1, b: 2, c: 3 },
      { operation: 'add', a: 1, b: 2, expression: '1' },
      { expression: '' },
      { expression: '1'.repeat(1001) },
    ];
    for (const input of bad) await assert.rejects(call(input), failing('E_BAD_ARGUMENTS', /./), JSON.stringify(input));
  });
});

describe('an expression', () => {
  test('is worked out as on paper', async () => {
    const cases: Record<string, number> = {
      '1+2*3': 7,
      '(1+2)*3': 9,
      '2^3^2': 512,
      '2**3': 8,
      '-2^2': -4,
      '(-2)^2': 4,
      '2^-1': 0.5,
      '--1': 1,
      '- -+1': 1,
      '7%4': 3,
      '-7 % 4': -3,
      '8/4/2': 1,
      '10-3-2': 5,
      '.5 + 1.': 1.5,
      '1e3': 1000,
      '2E-1': 0.2,
      'sqrt(16)': 4,
      'abs(-3)': 3,
      'min(3,1,2)': 1,
      'max(3, 1, 2)': 3,
      'round(2.5)': 3,
      'round(-2.5)': -3,
      'floor(-1.5)': -2,
      'ceil(1.2)': 2,
      'ln(e)': 1,
      'log(1000)': 3,
      'exp(0)': 1,
      'sin(0)+cos(0)+tan(0)': 1,
      'PI - pi': 0,
      ' 2 * ( 3 + SQRT(16) ) ': 14,
      '-0': 0,
    };
    for (const [expression, result] of Object.entries(cases)) {
      assert.ok(Math.abs(evaluate(expression) - result) < 1e-12, `${expression} = ${evaluate(expression)}`);
    }
    assert.equal(textIn(await call({ expression: '1+1' })), '{"expression":"1+1","result":2}');
  });

  test('without a result is a clear error', async () => {
    const cases: Record<string, RegExp> = {
      '1/0': /Division by zero/,
      '1%0': /Division by zero/,
      '0^-1': /Division by zero/,
      '0/0': /Division by zero/,
      '10^309': /out of range/,
      '1e999': /out of range/,
      'exp(1000)': /out of range/,
      '9^9^9^9': /out of range/,
      '(-8)^(1/3)': /not a number/,
      'sqrt(-1)': /"sqrt"/,
      'ln(0)': /"ln"/,
      'log(-1)': /"log"/,
      '1e308*10-1e308*10': /out of range/,
    };
    for (const [expression, message] of Object.entries(cases)) {
      await assert.rejects(call({ expression }), failing('E_TOOL_ERROR', message), expression);
    }
  });

  test('that is none is refused, with the place', () => {
    const bad = [
      '',
      ' ',
      '1+',
      '*1',
      '1 2',
      '(1',
      '1)',
      '()',
      'sqrt',
      'sqrt 4',
      'sqrt()',
      'sqrt(1,2)',
      'min()',
      'min(1,)',
      'foo(1)',
      'pi()',
      '1;2',
      '2pi',
      '$',
      '1..2',
      'constructor',
      'constructor(1)',
      '__proto__',
      'toString()',
      'hasOwnProperty(1)',
      'process.exit()',
      'globalThis',
      '`1`',
      '"a"',
      '[1]',
      'a=1',
      '1==1',
      '٣+1',
    ];
    for (const expression of bad) assert.throws(() => evaluate(expression), ArithmeticTrouble, expression);
    assert.throws(() => evaluate('1 + * 2'), /Unexpected "\*" at character 5/);
  });

  test('is bounded in length and depth', () => {
    assert.throws(() => evaluate('1+'.repeat(600)), /longer than 1000/);
    for (const open of ['(', '-', 'abs(', '2^'])
      assert.throws(() => evaluate(open.repeat(200)), /nested deeper than 64/);
    assert.equal(evaluate(`${'1+'.repeat(499)}1`), 500);
    assert.equal(evaluate(`${'('.repeat(60)}1${')'.repeat(60)}`), 1);
  });

  test('of any text gives a finite number or arithmetic trouble, and fast', () => {
    const pieces = fc.constantFrom(
      '1',
      '2.5',
      '+',
      '-',
      '*',
      '/',
      '%',
      '^',
      '(',
      ')',
      ',',
      'pi',
      'sqrt',
      'min',
      ' ',
      'x',
      '1e9',
    );
    const text = fc.oneof(
      fc.array(pieces, { maxLength: 60 }).map((all) => all.join('')),
      fc.string({ maxLength: 200 }),
    );
    fc.assert(
      fc.property(text, (expression) => {
        const began = performance.now();
        try {
          assert.ok(Number.isFinite(evaluate(expression)));
        } catch (error) {
          assert.ok(error instanceof ArithmeticTrouble, String(error));
        }
        assert.ok(performance.now() - began < 5000);
      }),
      { numRuns: 2000 },
    );
  });
});
