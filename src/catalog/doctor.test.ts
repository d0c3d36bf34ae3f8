import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ToolResult } from '../model/items.ts';
import { doctorResult, encodedTwice } from './doctor.ts';

const textResult = (text: string): ToolResult => ({ content: [{ type: 'text', text }] });
const textOf = ({ content: [block] }: ToolResult): string => (block?.type === 'text' ? block.text : '');

/** Written apart from the code under test, as slowly as it likes. */
function isTwice(text: string): boolean {
  try {
    const inner: unknown = JSON.parse(text);
    if (typeof inner !== 'string') return false;
    const value: unknown = JSON.parse(inner);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

const KEPT = [
  '',
  ' ',
  '"',
  '"a"',
  '"1"',
  '"null"',
  '"\\"twice a string\\""',
  '{"a":1}',
  '{ "a" : "line\\nsay \\"hi\\"" }',
  'const text = "a\\nb \\"c\\"";',
  '"{not json}"',
  '"[1,"',
  '[1, 2]',
  'Hello, "world"',
  '"{\\"a\\":1}" and more',
];
for (const text of KEPT) {
  test(`the doctor keeps the text ${JSON.stringify(text)}`, () => {
    const result = textResult(text);
    assert.equal(doctorResult(result), result);
    assert.equal(textOf(result), text);
  });
}

const MENDED: readonly (readonly [string, string])[] = [
  [JSON.stringify('{"a":1}'), '{"a":1}'],
  [JSON.stringify('[]'), '[]'],
  [JSON.stringify(' { "a" : [ 1 , 2 ] } '), '{"a":[1,2]}'],
  [JSON.stringify('{"n": 9007199254740993, "f": 1.10}'), '{"n":9007199254740993,"f":1.10}'],
  [JSON.stringify('{"s": "a  \\" b\\\\", "t": " "}'), '{"s":"a  \\" b\\\\","t":" "}'],
  [` ${JSON.stringify('{"a":"\\u2028"}')}\n`, '{"a":"\\u2028"}'],
];
for (const [text, mended] of MENDED) {
  test(`the doctor decodes ${text}`, () => assert.equal(textOf(doctorResult(textResult(text))), mended));
}

test('no text that is not encoded twice is ever changed', () => {
  const near = fc.oneof(
    fc.string(),
    fc.json(),
    fc.json().map((json) => JSON.stringify(json)),
    fc.json().map((json) => JSON.stringify(JSON.stringify(json))),
    fc.string().map((text) => `"${text}"`),
    fc.json().map((json) => ` ${JSON.stringify(json)} x`),
  );
  fc.assert(
    fc.property(near, (text) => {
      const out = textOf(doctorResult(textResult(text)));
      if (!isTwice(text)) return out === text;
      return JSON.stringify(JSON.parse(out)) === JSON.stringify(JSON.parse(JSON.parse(text) as string));
    }),
    { numRuns: 3000 },
  );
});

test('a mended text is sound: the doctor leaves it alone the second time', () => {
  fc.assert(
    fc.property(fc.object(), (value) => {
      const once = doctorResult(textResult(JSON.stringify(JSON.stringify(value))));
      return doctorResult(once) === once && encodedTwice(textOf(once)) === undefined;
    }),
  );
});

test('the doctor keeps what stands beside a mended text', () => {
  const result: ToolResult = {
    content: [
      { type: 'text', text: 'plain' },
      { type: 'text', text: '"{}"', annotations: { priority: 1 } },
      { type: 'image', data: '', mimeType: 'image/png' },
    ],
    structured: { a: 1 },
    failed: true,
    _meta: { b: 2 },
  };
  const mended = doctorResult(result);
  assert.deepEqual(mended, {
    ...result,
    content: [result.content[0], { type: 'text', text: '{}', annotations: { priority: 1 } }, result.content[2]],
  });
});

const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;
const BROKEN: readonly unknown[] = [
  undefined,
  null,
  'text',
  [],
  {},
  { content: 'text' },
  { content: [null] },
  { content: [{ type: 'text' }] },
  { content: [{ type: 'text', text: 5 }] },
  { content: [{ type: 'hologram' }] },
  { content: [], failed: 'yes' },
  { content: [], structured: cycle },
  { content: [], structured: { n: Number.NaN } },
];
for (const broken of BROKEN) {
  test(`the doctor turns what cannot be sent into a failure: ${broken === null ? 'null' : typeof broken}`, () => {
    const result = doctorResult(broken);
    assert.equal(result.failed, true);
    const said = JSON.parse(textOf(result)) as { success: boolean; error: string };
    assert.equal(said.success, false);
    assert.match(said.error, /^Invalid response format: /);
    assert.equal(textOf(result), JSON.stringify(said));
  });
}

test('a megabyte of quotes and brackets is looked at once', () => {
  for (const part of ['"', '\\"', '[', '"[', ' ', '"{\\"']) {
    const text = `"${part.repeat(Math.floor(1_000_000 / part.length))}`;
    const started = performance.now();
    doctorResult(textResult(text));
    assert.ok(performance.now() - started < 10_000, part);
  }
});
