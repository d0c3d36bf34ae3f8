// Documents that cannot drift. `npm run docs` writes what is made from the code; `--check` only compares.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorProblems, fillErrors } from './docs-errors.mjs';
import { exampleProblems, linkProblems } from './docs-links.mjs';
import { fill, limitsTable, pinProblems, reasonProblems, revisionTables } from './docs-tables.mjs';
import { securityProblems } from './docs-tests.mjs';
import { filesIn, isMain, ROOT } from './run.mjs';

const built = (path) => import(pathToFileURL(join(ROOT, 'dist', 'src', path)).href);

const GENERATED = [
  { path: 'docs/errors.md', from: 'model/fault-codes.js', make: (text, { FAULTS }) => fillErrors(text, FAULTS) },
  {
    path: 'docs/limits.md',
    from: 'model/limits.js',
    make: (text, { LIMITS }) => fill(text, 'limits', limitsTable(LIMITS)),
  },
  {
    path: 'docs/revisions.md',
    from: 'dialects/mcp/revisions.js',
    make: (text, { REVISIONS }) => fill(text, 'revisions', revisionTables(REVISIONS)),
  },
  {
    path: 'docs/lisp.md',
    from: 'providers/packs/lisp/reference.js',
    make: (text, { lispReference }) => fill(text, 'lisp', lispReference()),
  },
];

async function generate(write) {
  const problems = [];
  for (const { path, from, make } of GENERATED) {
    if (!existsSync(join(ROOT, 'dist', 'src', from))) {
      console.log(`  ${path}: not there yet: dist/src/${from} is not built`);
      continue;
    }
    const before = readFileSync(join(ROOT, path), 'utf8');
    const now = make(before, await built(from));
    if (before === now) continue;
    if (write) {
      writeFileSync(join(ROOT, path), now);
      console.log(`  ${path}: written`);
    } else problems.push(`${path}: does not match the code: npm run docs`);
  }
  return problems;
}

/** Every manifest that anything is installed from. */
const MANIFESTS = ['.', 'bench', 'examples', 'test/access', 'test/clients', 'test/conformance/referee', 'test/tools'];

/** Dependencies nobody gave a reason for or that are not pinned, and reasons for dependencies that are gone. */
function dependencyProblems() {
  const read = (path) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
  const pins = MANIFESTS.map((folder) => join(folder, 'package.json'))
    .filter((path) => existsSync(join(ROOT, path)))
    .flatMap((path) => pinProblems(path, read(path)));
  const manifests = ['package.json', 'test/tools/package.json'].map(read);
  const used = manifests.flatMap(({ dependencies, devDependencies, peerDependencies }) =>
    Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies }),
  );
  return [...pins, ...reasonProblems(readFileSync(join(ROOT, 'docs', 'dependencies.md'), 'utf8'), used)];
}

function documents() {
  const loose = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
  return [...loose.map((name) => join(ROOT, name)), ...filesIn('docs', '.md'), ...filesIn('examples', '.md')];
}

/** Resolves to whether the documents match the code; with `write` it first makes the generated parts match. */
export async function checkDocs({ write = false } = {}) {
  const generated = await generate(write);
  const { FAULTS } = await built('model/fault-codes.js');
  const errors = errorProblems(readFileSync(join(ROOT, 'docs', 'errors.md'), 'utf8'), FAULTS);
  const files = documents();
  const { count, problems } = await exampleProblems(files);
  const all = [
    ...generated,
    ...errors.map((problem) => `docs/errors.md: ${problem}`),
    ...dependencyProblems(),
    ...linkProblems(files),
    ...securityProblems(),
    ...problems,
  ];
  for (const problem of all) console.log(`  ${problem}`);
  console.log(`  ${files.length} documents, ${count} examples run, ${all.length} problems`);
  return all.length === 0;
}

if (isMain(import.meta.url)) {
  process.exitCode = (await checkDocs({ write: !process.argv.includes('--check') })) ? 0 : 1;
}
