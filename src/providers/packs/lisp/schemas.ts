import { DEFINITION_KINDS, SYMBOL_KINDS } from './contract.ts';
import { SESSION_LIMITS } from './sessions.ts';

const CODE_CHARS = 1_000_000;
const code = { type: 'string', maxLength: CODE_CHARS } as const;
const home = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  description: 'Package to work in; the current one unless given',
} as const;
const problem = {
  type: 'object',
  properties: { type: { type: 'string', description: 'Type of the condition' }, message: { type: 'string' } },
  required: ['type', 'message'],
} as const;

export const evaluateInput = {
  type: 'object',
  properties: {
    code: { ...code, description: 'One or more Common Lisp forms' },
    package: home,
    'capture-time': { type: 'boolean', description: 'Also tell how long it took' },
  },
  required: ['code'],
  additionalProperties: false,
} as const;

export const evaluateOutput = {
  type: 'object',
  properties: {
    values: { type: 'array', items: { type: 'string' }, description: 'Values of the last form, printed' },
    output: { type: 'string' },
    errorOutput: { type: 'string' },
    droppedChars: { type: 'integer', description: 'Characters of output over the limit' },
    warnings: { type: 'array', items: problem },
    error: problem,
    package: { type: 'string', description: 'Package the session is in now' },
    realMs: { type: 'number' },
    restarted: { type: 'boolean', description: 'The session lost what was defined before' },
  },
  required: ['values', 'output', 'errorOutput', 'warnings', 'package'],
} as const;

export const nothingInput = { type: 'object', properties: {}, additionalProperties: false } as const;

export const definitionsInput = {
  type: 'object',
  properties: { type: { enum: DEFINITION_KINDS, description: 'Only definitions of this kind' } },
  additionalProperties: false,
} as const;

const { timeoutSeconds, outputChars } = SESSION_LIMITS;

export const limitsInput = {
  type: 'object',
  properties: {
    timeout: {
      type: 'integer',
      minimum: 0,
      maximum: timeoutSeconds.most,
      description: `Seconds an evaluation may take; 0 is the most there is, ${timeoutSeconds.most}`,
    },
    'max-output': {
      type: 'integer',
      minimum: outputChars.least,
      maximum: outputChars.most,
      description: 'Characters of output that are kept',
    },
  },
  additionalProperties: false,
} as const;

export const describeInput = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 500, description: 'Symbol to describe' },
    package: home,
  },
  required: ['name'],
  additionalProperties: false,
} as const;

export const aproposInput = {
  type: 'object',
  properties: {
    pattern: { type: 'string', minLength: 1, maxLength: 500, description: 'Part of a symbol name' },
    package: home,
    type: { enum: SYMBOL_KINDS, description: 'Only symbols that name this' },
  },
  required: ['pattern'],
  additionalProperties: false,
} as const;

export const expandInput = {
  type: 'object',
  properties: {
    form: { ...code, description: 'The form to expand' },
    full: { type: 'boolean', description: 'Expand until the form is no macro call; otherwise one step' },
    package: home,
  },
  required: ['form'],
  additionalProperties: false,
} as const;

export const validateInput = {
  type: 'object',
  properties: { code: { ...code, description: 'The text to check; it is read and not evaluated' } },
  required: ['code'],
  additionalProperties: false,
} as const;
