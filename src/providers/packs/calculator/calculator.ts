import { createPack, type Server } from '../../../catalog/server.ts';
import { Fault, ToolError } from '../../../model/fault.ts';
import { evaluate, LONGEST_EXPRESSION } from './expression.ts';
import { ArithmeticTrouble, inRange } from './numbers.ts';

const OPERATIONS = ['add', 'subtract', 'multiply', 'divide'] as const;
type Name = (typeof OPERATIONS)[number];

const RUN: Readonly<Record<Name, (a: number, b: number) => number>> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  divide(a, b) {
    if (b === 0) throw new ArithmeticTrouble('Division by zero');
    return a / b;
  },
};

const input = {
  type: 'object',
  properties: {
    operation: { type: 'string', enum: OPERATIONS, description: 'What to do with "a" and "b"' },
    a: { type: 'number', description: 'First number' },
    b: { type: 'number', description: 'Second number' },
    expression: {
      type: 'string',
      minLength: 1,
      maxLength: LONGEST_EXPRESSION,
      description:
        'In place of the other three: an expression such as "2 * (3 + sqrt(16)) ^ 2" with + - * / % ^, pi, e, and the functions abs ceil cos exp floor ln log max min round sin sqrt tan',
    },
  },
  additionalProperties: false,
} as const;

/** A tool that calculates: one of four operations on two numbers, or an expression. */
export function createCalculator(): Server {
  const server = createPack({ name: 'calculator', version: '1.0.0' });
  server.tool(
    'calculator',
    {
      title: 'Calculator',
      description: 'Adds, subtracts, multiplies or divides two numbers, or works out an expression',
      input,
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    },
    ({ operation, a, b, expression }) =>
      clearly(() => (expression === undefined ? operate(operation, a, b) : calculate(expression, operation ?? a ?? b))),
  );
  return server;
}

function operate(operation: Name | undefined, a: number | undefined, b: number | undefined) {
  if (operation === undefined || a === undefined || b === undefined) {
    throw unfit('give "operation", "a" and "b", or "expression"');
  }
  const result = inRange(RUN[operation](inRange(a), inRange(b)));
  return { operation: `${a.toFixed(2)} ${operation} ${b.toFixed(2)}`, result };
}

function calculate(expression: string, rest: unknown) {
  if (rest !== undefined) throw unfit('"expression" stands alone, without "operation", "a" and "b"');
  return { expression, result: evaluate(expression) };
}

function unfit(why: string): Fault {
  return new Fault('E_BAD_ARGUMENTS', `Invalid arguments for tool "calculator": ${why}`);
}

function clearly<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ArithmeticTrouble) throw new ToolError(error.message, { cause: error });
    throw error;
  }
}
