import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, ToolError } from '../../model/fault.ts';
import { errorOf, troubleOf } from './trouble.ts';

const travel = (error: unknown): Error => errorOf(JSON.parse(JSON.stringify(troubleOf(error))));

test('a fault arrives as the fault it was', () => {
  const error = travel(new ToolError('Closed', { data: { until: 'Monday' }, cause: new TypeError('why') }));
  assert.ok(Fault.is(error));
  assert.equal(error.code, 'E_TOOL_ERROR');
  assert.equal(error.message, 'Closed');
  assert.deepEqual(error.data, { until: 'Monday' });
  assert.equal((error.cause as Error).name, 'TypeError');
});

test('a foreign error arrives as no fault, with its stack', () => {
  const before = new TypeError('secret');
  const error = travel(before);
  assert.ok(!Fault.is(error));
  assert.deepEqual([error.name, error.message, error.stack], ['TypeError', 'secret', before.stack]);
});

test('a code that does not exist makes no fault', () => {
  assert.ok(!Fault.is(errorOf({ code: 'E_MADE_UP', name: 'Fault', message: 'x' })));
  assert.ok(!Fault.is(errorOf({ code: 'toString', name: 'Fault', message: 'x' })));
});

test('what is thrown may be anything', () => {
  const endless: { self?: object } = {};
  endless.self = endless;
  const unfit = new ToolError('x', { data: endless as never });
  for (const thrown of [undefined, null, 7, 'text', Symbol('s'), {}, Object.create(null), unfit])
    assert.ok(travel(thrown) instanceof Error);
  assert.throws(() => errorOf('text'), TypeError);
});

test('an error without end is cut', () => {
  const error = new Error('x'.repeat(1_000_000));
  error.cause = error;
  assert.ok(JSON.stringify(troubleOf(error)).length < 200_000);
});
