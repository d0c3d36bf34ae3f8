import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { accepted, isJson, mediaType } from './headers.ts';

describe('mediaType', () => {
  const cases: readonly [string | undefined, string | undefined][] = [
    ['application/json', 'application/json'],
    ['Application/JSON', 'application/json'],
    ['application/json; charset=utf-8', 'application/json'],
    ['application/json;charset="utf-8"', 'application/json'],
    [' application/json ', 'application/json'],
    ['text/plain; x=application/json', 'text/plain'],
    ['application/vnd.api+json', 'application/vnd.api+json'],
    ['*/*', '*/*'],
    [undefined, undefined],
    ['', undefined],
    ['application', undefined],
    ['application/', undefined],
    ['/json', undefined],
    ['application/json, text/plain', undefined],
    ['application /json', undefined],
    ['application/json x', undefined],
    ['a/b/c', undefined],
  ];
  for (const [value, type] of cases) {
    it(`reads ${JSON.stringify(value)} as ${type}`, () => assert.equal(mediaType(value), type));
  }

  it('takes nothing but application/json for JSON', () => {
    assert.ok(isJson('application/json; charset=utf-8'));
    for (const value of [
      'text/plain; x=application/json',
      'application/jsonp',
      'text/json',
      'application/json-seq',
      undefined,
    ]) {
      assert.ok(!isJson(value), value);
    }
  });
});

describe('accepted', () => {
  const cases: readonly [string | undefined, boolean, boolean][] = [
    [undefined, true, true],
    ['', true, true],
    ['*/*', true, true],
    ['application/json, text/event-stream', true, true],
    ['text/event-stream, application/json', true, true],
    ['application/json,text/event-stream', true, true],
    ['application/json', true, false],
    ['text/event-stream', false, true],
    ['Text/Event-Stream', false, true],
    ['application/*', true, false],
    ['text/*', false, true],
    ['text/html, */*;q=0.8', true, true],
    ['text/html', false, false],
    ['text/html, application/xhtml+xml', false, false],
    ['application/json;q=0', false, false],
    ['application/json;q=0.0, text/event-stream', false, true],
    ['application/json;q=0.1', true, false],
    ['*/*, text/event-stream;q=0', true, false],
    ['*/*;q=0', false, false],
    ['application/json; q=0.000', false, false],
    ['application/json-seq', false, false],
    ['nonsense', false, false],
    [',,,', false, false],
  ];
  for (const [accept, json, events] of cases) {
    it(`reads ${JSON.stringify(accept)} as ${json ? 'JSON' : 'no JSON'}, ${events ? 'events' : 'no events'}`, () => {
      assert.deepEqual(accepted(accept), { json, events });
    });
  }
});
