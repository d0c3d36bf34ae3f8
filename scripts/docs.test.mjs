import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { errorProblems, fillErrors } from './docs-errors.mjs';
import { examplesOf, linkProblems } from './docs-links.mjs';
import { fill, limitsTable, pinProblems, reasonProblems, revisionTables, table } from './docs-tables.mjs';

const FAULTS = { E_A: { kind: 'parse', says: 'A broke' }, E_B: { kind: 'denied', says: 'B broke', ofTool: true } };
const body = '**What happened.** It broke.\n\n**What to do.** Mend it.\n';
const good = `# Errors\n\n## E_A\n\n*A broke.* Kind: \`parse\`.\n\n${body}\n## E_B\n\n*B broke.* Kind: \`denied\`. In a tool call it comes as a result, for the model to read.\n\n${body}`;

test('Error sections that match the code are left as they are', () => {
  assert.equal(fillErrors(good, FAULTS), good);
  assert.deepEqual(errorProblems(good, FAULTS), []);
});

test('The summary line of an error is put in, and put right', () => {
  assert.equal(fillErrors(`# Errors\n\n## E_A\n${body}## E_B\n\n*Old.* Kind: \`x\`.\n\n${body}`, FAULTS), good);
});

test('A missing, stale, doubled or misplaced error section is a problem', () => {
  const section = (code) => `## ${code}\n\n${body}`;
  const problems = (...codes) => errorProblems(codes.map(section).join('\n'), FAULTS);
  assert.deepEqual(problems('E_A'), ['no section for E_B']);
  assert.deepEqual(problems('E_A', 'E_B', 'E_C'), ['section E_C is about no fault']);
  assert.deepEqual(problems('E_A', 'E_B', 'E_B'), ['section E_B stands twice']);
  assert.deepEqual(problems('E_B', 'E_A'), ['the sections are not in the order of src/model/fault-codes.ts']);
});

test('An error section without advice is a problem', () => {
  const text = `## E_A\n\n**What happened.** It broke.\n\n**What to do.**\n\n## E_B\n\n${body}`;
  assert.deepEqual(errorProblems(text, FAULTS), ['section E_A does not say "What to do"']);
});

test('A table escapes the bars in its cells', () => {
  assert.equal(
    table([
      ['a', 'b'],
      ['x|y', 1],
    ]),
    '| a | b |\n| --- | --- |\n| x\\|y | 1 |',
  );
});

test('The limits table has a row for each limit', () => {
  assert.match(limitsTable({ size: { default: 4096, says: 'Most bytes' } }), /\| `size` \| 4,096 \| Most bytes \|$/);
});

test('The revision tables show what each revision has, whatever it is called', () => {
  const text = revisionTables([
    {
      id: 'new',
      opens: 'late',
      batches: false,
      stamp: { a: 1 },
      codes: { parse: -2 },
      methods: { 'a/b': { says: { fields: ['x', 'y'], deep: true } } },
    },
    {
      id: 'old',
      opens: 'early',
      batches: true,
      stamp: {},
      codes: { parse: -1 },
      methods: { 'a/b': { says: { fields: ['x'], deep: true } }, gone: {} },
    },
  ]);
  for (const row of [
    '| `opens` | `late` | `early` |',
    '| `batches` | no | yes |',
    '| `stamp` | `{"a":1}` | none |',
    '| `parse` | -2 | -1 |',
    '| `a/b` | yes | yes |',
    '| `gone` | – | yes |',
    '| `a/b` | fields: `y` | yes | – |',
  ]) {
    assert.ok(text.includes(row), `${row} is missing in\n${text}`);
  }
  assert.ok(!text.includes('fields: `x`'), 'what does not differ is left out');
});

test('A generated part replaces what stands between its markers and nothing else', () => {
  const text = 'before\n<!-- generated: t -->\nold\n<!-- end: t -->\nafter\n';
  const filled = fill(text, 't', 'new');
  assert.equal(filled, 'before\n<!-- generated: t -->\n\nnew\n\n<!-- end: t -->\nafter\n');
  assert.equal(fill(filled, 't', 'new'), filled);
  assert.throws(() => fill('no markers', 't', 'new'), /markers/);
});

test('A local link that leads nowhere is a problem; code and other sites are not looked at', () => {
  const folder = mkdtempSync(join(tmpdir(), 'links-'));
  try {
    const document = join(folder, 'a.md');
    writeFileSync(join(folder, 'b.md'), '# The Big One\n\n```sh\n# not one\n```\n');
    writeFileSync(
      document,
      [
        '[b](b.md) [b](b.md#the-big-one) [here](#top) [site](https://example.org/x) `[c](c.md)`',
        '```md\n[c](c.md)\n```',
        '[c](c.md)\n[b](b.md#not-one)\n# Top',
      ].join('\n'),
    );
    const problems = linkProblems([document]).map((problem) => problem.replace(/^.*a\.md: /, ''));
    assert.deepEqual(problems, ['link "c.md" does not exist', 'link "b.md#not-one" has no such heading']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('Only an example that says so runs', () => {
  const text = '# A\n\n```ts\n// runs\nrun();\n```\n\n```ts\nskip();\n```\n\n```js\n// runs\nskip();\n```\n';
  assert.deepEqual(examplesOf(text), [{ source: '// runs\nrun();\n', line: 4 }]);
});

test('A dependency without a reason and a reason without a dependency are problems', () => {
  const text = '| package | reason |\n| --- | --- |\n| `a`, `@b/c` | used with `x` |\n| `gone` | was used |\n';
  assert.deepEqual(reasonProblems(text, ['a', '@b/c', 'new']), [
    'docs/dependencies.md: no reason for new',
    'docs/dependencies.md: gone is no dependency',
  ]);
});

test('A dependency that may change by itself is a problem, and a peer may', () => {
  const manifest = {
    dependencies: { a: '1.2.3', b: '^1.2.3', c: 'npm:other@1.2.3', d: 'npm:other@^1' },
    devDependencies: { e: '1.2.3-beta.1', f: '*', g: 'latest', h: 'github:x/y' },
    optionalDependencies: { i: '~1.2.3' },
    peerDependencies: { j: '^1.0.0' },
  };
  const names = pinProblems('package.json', manifest).map(
    (problem) => /^package\.json: (\w) is not pinned/.exec(problem)?.[1],
  );
  assert.deepEqual(names, ['b', 'd', 'f', 'g', 'h', 'i']);
  assert.deepEqual(pinProblems('package.json', {}), []);
});
