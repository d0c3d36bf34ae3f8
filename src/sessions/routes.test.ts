import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Route, Routes } from './routes.ts';

const routeOf = (...ids: (number | string)[]): Route => ({
  send: () => {},
  release: () => {},
  carries: (id) => ids.includes(id),
});

test('a message finds the way of its request while that is taken, and no longer', () => {
  const routes = new Routes();
  const one = routeOf(1);
  routes.taking(one, () => {
    assert.equal(routes.find(1), one);
    assert.equal(routes.find('1'), undefined, 'an id of another kind is another request');
    assert.equal(routes.find(2), undefined);
  });
  assert.equal(routes.find(1), undefined);
});

test('a way is let go of when taking fails', () => {
  const routes = new Routes();
  assert.throws(() =>
    routes.taking(routeOf(1), () => {
      throw new Error('no');
    }),
  );
  assert.equal(routes.find(1), undefined);
});

test('a request that is being answered keeps its way, whatever comes under its id meanwhile', () => {
  const routes = new Routes();
  const first = routeOf(1);
  const second = routeOf(1, 2);
  routes.add([1], first);
  routes.taking(second, () => {
    assert.equal(routes.find(1), first);
    assert.equal(routes.find(2), second);
  });
  routes.add([1, 2], second);
  routes.remove([1, 2], second);
  assert.equal(routes.find(1), first, 'nobody removes the way of another');
  assert.equal(routes.find(2), undefined);
  routes.remove([1], first);
  assert.equal(routes.find(1), undefined);
});
