import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Value, Values } from '../host/client.ts';
import { UsageError } from './command.ts';
import { readInput, readPairs, readValue } from './values.ts';

const ROOT: Values = { $defs: { size: { type: 'number' }, loop: { $ref: '#/$defs/loop' } } };

function read(text: string, property: Values): Value {
  return readValue(text, { name: 'it', property, root: ROOT });
}

test('a value is read by its type, and refused when it does not fit', () => {
  assert.equal(read('1.5', { type: 'number' }), 1.5);
  assert.equal(read('-2e3', { type: 'integer' }), -2000);
  assert.equal(read('true', { type: 'boolean' }), true);
  assert.equal(read('null', { type: ['null', 'integer'] }), null);
  assert.deepEqual(read('[1]', { type: 'array' }), [1]);
  assert.deepEqual(read('{"a":1}', { type: 'object' }), { a: 1 });
  for (const [text, type] of [
    ['1.5', 'integer'],
    ['', 'number'],
    ['Infinity', 'number'],
    ['0x', 'number'],
    ['yes', 'boolean'],
    ['constructor', 'boolean'],
    ['{}', 'array'],
    ['[]', 'object'],
    ['{', 'object'],
  ] as const) {
    assert.throws(() => read(text, { type }), UsageError, `${text} as ${type}`);
  }
});

test('text stays text where the schema wants it or says nothing', () => {
  for (const property of [{ type: 'string' }, {}, { description: 'x' }]) assert.equal(read('12', property), '12');
});

test('a value of several types takes the first that fits, and text last', () => {
  assert.equal(read('12', { type: ['string', 'integer'] }), 12);
  assert.equal(read('x', { type: ['string', 'integer'] }), 'x');
  assert.equal(read('false', { anyOf: [{ type: 'boolean' }, { type: 'null' }] }), false);
  assert.throws(() => read('x', { oneOf: [{ type: 'boolean' }, { type: 'null' }] }), UsageError);
});

test('a listed value is taken as listed', () => {
  assert.equal(read('2', { enum: ['1', 2] }), 2);
  assert.equal(read('1', { enum: ['1', 2] }), '1');
  assert.equal(read('true', { const: true }), true);
});

test('a reference within the schema is followed, and one that leads in circles or away is not', () => {
  assert.equal(read('3', { $ref: '#/$defs/size' }), 3);
  assert.equal(read('3', { $ref: '#/$defs/loop' }), '3');
  assert.equal(read('3', { $ref: 'https://example.com/schema' }), '3');
});

test('names of object members are no properties of a schema', () => {
  assert.deepEqual(readInput({ toString: '1' }, { properties: {} }), { toString: '1' });
  assert.equal(Object.hasOwn(readPairs(['__proto__=x']), '__proto__'), true);
});

test('a word is cut at its first equals sign', () => {
  assert.deepEqual(readPairs(['a=b=c', 'd=']), { a: 'b=c', d: '' });
  for (const words of [['x'], ['=x'], ['a=1', 'a=2']]) assert.throws(() => readPairs(words), UsageError);
});
