import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namedTestProblems, testNames, untestedRows } from './docs-tests.mjs';

const SOURCE = `
test('a plain name', () => {});
it("one with 'quotes'", async () => {});
test(\`the \${kind} of \${what}\`, () => {});
scenario(ALL, 'what no obligation says', { access }, async () => {});
obligation(
  'AUTH-1',
  'what one says',
  OPEN,
  async () => {},
);
`;

test('the names of tests are found however they are written', () => {
  const names = testNames(SOURCE);
  for (const name of ['a plain name', "one with 'quotes'", 'the … of …', 'what no obligation says', 'what one says'])
    assert.ok(names.has(name), name);
  assert.ok(!names.has('a plain'), 'and not by half of them');
});

test('a test or a source that is named and does not exist is a problem', () => {
  const read = (path) => (path === 'src/a.test.ts' ? SOURCE : path === 'src/a.ts' ? '' : undefined);
  assert.deepEqual(namedTestProblems('`src/a.ts` `src/a.test.ts` “a plain name”, “the … of …”', read), []);
  assert.deepEqual(namedTestProblems('`src/a.test.ts` “a plain name”, “gone”', read), [
    'src/a.test.ts has no test “gone”',
  ]);
  assert.deepEqual(namedTestProblems('`src/b.ts`, `src/b.test.ts` “x”', read), [
    '"src/b.ts" does not exist',
    '"src/b.test.ts" does not exist',
  ]);
});

test('a row without a test is a problem, and only below its heading', () => {
  const row = '| an attack | a defence | `src/a.test.ts` “x” |';
  const text = `# A\n| a | b |\n\n## Held\n| attack | by | test |\n| --- | --- | --- |\n${row}\n| another | hope | |\n\n## Else\n| c | d |\n`;
  assert.deepEqual(untestedRows(text, 'Held'), ['no test is named for: another | hope | |']);
});
