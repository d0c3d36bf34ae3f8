import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../model/fault.ts';
import { contentsOf } from './contents.ts';
import { messagesOf } from './messages.ts';
import { resultOf } from './result.ts';

const text = (value: string) => ({ type: 'text', text: value });
const image = { type: 'image', data: 'AA==', mimeType: 'image/png' };
const link = { type: 'resource_link', uri: 'x:1', name: 'one' };
const embedded = { type: 'resource', resource: { uri: 'x:1', text: 'hi' } };

function faulty(run: () => unknown, says: RegExp): void {
  assert.throws(run, (error) => {
    assert.ok(error instanceof Fault, String(error));
    assert.equal(error.code, 'E_BAD_RESULT');
    assert.match(error.message, says);
    return true;
  });
}

const WITHOUT_OUTPUT: readonly [value: unknown, result: unknown][] = [
  ['', { content: [text('')] }],
  ['{"a": 1}', { content: [text('{"a": 1}')] }],
  [undefined, { content: [] }],
  [null, { content: [] }],
  [42, { content: [text('42')], structured: 42 }],
  [false, { content: [text('false')], structured: false }],
  [{}, { content: [text('{}')], structured: {} }],
  [[], { content: [text('[]')], structured: [] }],
  [[1, 'a'], { content: [text('[1,"a"]')], structured: [1, 'a'] }],
  [
    { a: undefined, b: null },
    { content: [text('{"b":null}')], structured: { a: undefined, b: null } },
  ],
  [text('hi'), { content: [text('hi')] }],
  [[text('hi'), image, link, embedded], { content: [text('hi'), image, link, embedded] }],
  [{ type: 'text' }, { content: [text('{"type":"text"}')], structured: { type: 'text' } }],
  [
    { type: 'dog', text: 'x' },
    { content: [text('{"type":"dog","text":"x"}')], structured: { type: 'dog', text: 'x' } },
  ],
  [{ content: [] }, { content: [] }],
  [
    { content: [text('hi')], isError: true },
    { content: [text('hi')], failed: true },
  ],
  [
    { content: [text('hi')], failed: false, _meta: { k: 1 } },
    { content: [text('hi')], failed: false, _meta: { k: 1 } },
  ],
  [
    { content: [], structuredContent: { a: 1 } },
    { content: [text('{"a":1}')], structured: { a: 1 } },
  ],
  [
    { content: [], structured: null },
    { content: [text('null')], structured: null },
  ],
  [
    { content: [text('hi')], structured: { a: 1 } },
    { content: [text('hi')], structured: { a: 1 } },
  ],
  [
    { content: [1], title: 't' },
    { content: [text('{"content":[1],"title":"t"}')], structured: { content: [1], title: 't' } },
  ],
  [{ content: 'body' }, { content: [text('{"content":"body"}')], structured: { content: 'body' } }],
  [
    { at: new Date(0), link: new URL('x:y') },
    {
      content: [text('{"at":"1970-01-01T00:00:00.000Z","link":"x:y"}')],
      structured: { at: '1970-01-01T00:00:00.000Z', link: 'x:y' },
    },
  ],
];

test('what a handler without an output schema returns becomes its result', () => {
  for (const [value, result] of WITHOUT_OUTPUT) assert.deepEqual(resultOf(value, false), result, JSON.stringify(value));
});

const WITH_OUTPUT: readonly [value: unknown, result: unknown][] = [
  ['hi', { content: [text('"hi"')], structured: 'hi' }],
  [null, { content: [text('null')], structured: null }],
  [undefined, { content: [] }],
  [text('hi'), { content: [text('{"type":"text","text":"hi"}')], structured: text('hi') }],
  [[], { content: [text('[]')], structured: [] }],
  [{ content: [] }, { content: [text('{"content":[]}')], structured: { content: [] } }],
  [{ content: ['a'] }, { content: [text('{"content":["a"]}')], structured: { content: ['a'] } }],
  [
    { content: [text('no')], isError: true },
    { content: [text('no')], failed: true },
  ],
  [
    { content: [], structuredContent: { a: 1 } },
    { content: [text('{"a":1}')], structured: { a: 1 } },
  ],
  [{ content: [text('hi')] }, { content: [text('hi')] }],
];

test('what a handler with an output schema returns is its structured value unless it is a whole result', () => {
  for (const [value, result] of WITH_OUTPUT) assert.deepEqual(resultOf(value, true), result, JSON.stringify(value));
});

test('what JSON cannot carry is refused with its kind and place', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = [cycle];
  class Secret {
    readonly [Symbol.toStringTag] = 'Secret';
  }
  const cases: readonly [unknown, RegExp][] = [
    [1n, /a BigInt$/],
    [{ a: { b: [1n] } }, /a BigInt at "a\.b\.0"$/],
    [() => 1, /a function$/],
    [Symbol('s'), /a symbol$/],
    [Number.NaN, /the number NaN$/],
    [{ n: Number.POSITIVE_INFINITY }, /the number Infinity at "n"$/],
    [cycle, /a cycle at "self\.0"$/],
    [[undefined], /undefined at "0"$/],
    [new Map([[1, 2]]), /a value of type Map$/],
    [{ s: new Set() }, /a value of type Set at "s"$/],
    [Promise.resolve(1), /a value of type Promise$/],
    [new Error('x'), /a value of type Error$/],
    [new Uint8Array(2), /a value of type Uint8Array$/],
    [Buffer.from('hi'), /a value of type Uint8Array$/],
    [new ArrayBuffer(2), /a value of type ArrayBuffer$/],
    [new Secret(), /a value of type Secret$/],
    [{ toJSON: () => undefined }, /undefined$/],
    [{ content: [text('x')], structured: { a: 1n } }, /a BigInt at "a"$/],
    [{ ...text('x'), _meta: { f: () => 1 } }, /a function at "_meta\.f"$/],
  ];
  for (const [value, says] of cases) {
    faulty(() => resultOf(value, false), says);
    faulty(() => resultOf(value, true), says);
  }
});

test('a value nested too deeply is refused before it exhausts the stack', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level++) deep = [deep];
  faulty(() => resultOf(deep, false), /nested over 1000 levels/);
});

test('the same object twice is no cycle', () => {
  const one = { a: 1 };
  assert.deepEqual(resultOf([one, one], false).structured, [one, one]);
});

test('a result that is nearly one is refused with the reason', () => {
  faulty(
    () => resultOf([text('a'), { type: 'image', data: 'x' }], false),
    /block 1 of type "image" needs a text in "mimeType"/,
  );
  faulty(() => resultOf([text('a'), 'b'], false), /block 1 is not an object/);
  faulty(() => resultOf({ content: [{ type: 'txt', text: 'a' }] }, false), /block 0 has no known type/);
  faulty(
    () => resultOf({ content: [{ type: 'resource', resource: { uri: 'x:' } }] }, false),
    /either "text" or "blob"/,
  );
  faulty(
    () => resultOf({ content: [{ type: 'resource', resource: { uri: 'x:', text: '', blob: '' } }] }, false),
    /either/,
  );
  faulty(() => resultOf({ content: ['a'], isError: true }, true), /block 0/);
  faulty(() => resultOf({ content: [], isError: 'yes' }, false), /"isError"/);
  faulty(() => resultOf({ content: [], _meta: [] }, false), /"_meta"/);
});

test('text is never changed and any JSON value survives', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      assert.deepEqual(resultOf(value, false), { content: [text(value)] });
    }),
  );
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const result = resultOf(value, true);
      const [block] = result.content;
      assert.ok(block?.type === 'text');
      assert.deepEqual(JSON.parse(block.text), JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('what a resource handler returns becomes contents of the URI that was read', () => {
  const bytes = new Uint8Array([9, 104, 105, 9]).subarray(1, 3);
  const cases: readonly [unknown, unknown][] = [
    ['hi', [{ uri: 'x:1', mimeType: 'text/plain', text: 'hi' }]],
    ['', [{ uri: 'x:1', mimeType: 'text/plain', text: '' }]],
    [bytes, [{ uri: 'x:1', mimeType: 'text/plain', blob: 'aGk=' }]],
    [{ text: 'hi', mimeType: 'text/html' }, [{ uri: 'x:1', mimeType: 'text/html', text: 'hi' }]],
    [
      { blob: 'aGk=', uri: 'x:2', _meta: { a: 1 } },
      [{ uri: 'x:2', mimeType: 'text/plain', blob: 'aGk=', _meta: { a: 1 } }],
    ],
    [{ blob: bytes }, [{ uri: 'x:1', mimeType: 'text/plain', blob: 'aGk=' }]],
    [
      { contents: [{ text: 'a' }, 'b'] },
      [
        { uri: 'x:1', mimeType: 'text/plain', text: 'a' },
        { uri: 'x:1', mimeType: 'text/plain', text: 'b' },
      ],
    ],
    [[], []],
  ];
  for (const [value, contents] of cases) assert.deepEqual(contentsOf(value, 'x:1', 'text/plain'), contents);
  assert.deepEqual(contentsOf('hi', 'x:1'), [{ uri: 'x:1', text: 'hi' }]);
});

test('what is no resource contents is refused', () => {
  for (const bad of [
    undefined,
    null,
    1,
    true,
    {},
    { text: 1 },
    { text: 'a', blob: 'aGk=' },
    [null],
    { contents: [{}] },
  ]) {
    faulty(() => contentsOf(bad, 'x:1'), /^Bad resource contents/);
  }
  for (const blob of ['a', 'not base64', 'a===', 'aGk', '====']) faulty(() => contentsOf({ blob }, 'x:1'), /base64/);
  faulty(() => contentsOf({ text: 'a', uri: 1 }, 'x:1'), /"uri"/);
  faulty(() => contentsOf({ text: 'a', mimeType: null }, 'x:1'), /"mimeType"/);
  faulty(() => contentsOf({ text: 'a', _meta: 1 }, 'x:1'), /"_meta"/);
});

test('what a prompt handler returns becomes messages', () => {
  const said = (value: string, role = 'user') => ({ role, content: text(value) });
  const cases: readonly [unknown, unknown][] = [
    ['hi', { messages: [said('hi')] }],
    [['a', said('b', 'assistant')], { messages: [said('a'), said('b', 'assistant')] }],
    [{ role: 'assistant', content: 'ok' }, { messages: [said('ok', 'assistant')] }],
    [
      { messages: ['a'], description: 'd', _meta: {} },
      { description: 'd', messages: [said('a')], _meta: {} },
    ],
    [{ role: 'user', content: image }, { messages: [{ role: 'user', content: image }] }],
    [[], { messages: [] }],
  ];
  for (const [value, messages] of cases) assert.deepEqual(messagesOf(value), messages);
});

test('what is no prompt message is refused with its number', () => {
  for (const bad of [
    undefined,
    null,
    1,
    {},
    [1],
    ['a', null],
    { messages: 'a' },
    { messages: [{}] },
    { messages: [], description: 1 },
  ]) {
    faulty(() => messagesOf(bad), /^Bad prompt messages/);
  }
  faulty(() => messagesOf(['a', { role: 'system', content: 'b' }]), /message 1 needs the role/);
  faulty(() => messagesOf([{ role: 'user', content: [text('b')] }]), /content of message 0 is not an object/);
  faulty(() => messagesOf([{ role: 'user', content: { type: 'text' } }]), /needs a text in "text"/);
  faulty(() => messagesOf({ messages: [], _meta: null }), /"_meta"/);
});
