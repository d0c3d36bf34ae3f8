import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkHouse } from './check-house.mjs';

/** Builds a tree from `{ path: text }`, checks it and returns its violations as printed. */
function check(tree) {
  const root = mkdtempSync(join(tmpdir(), 'house-'));
  try {
    for (const [path, text] of Object.entries(tree)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return checkHouse(root).violations.map(({ file, line, rule }) => `${file}:${line}: ${rule}`);
  } finally {
    rmSync(root, { recursive: true });
  }
}

const lines = (count) => 'export const a = 1;\n'.repeat(count);

/** Each row: what it shows, the tree, the violations. */
const cases = [
  [
    'a room may import its own files and the rooms below it',
    { 'src/rpc/a.ts': "import { b } from './b.ts';\nimport type { Json } from '../model/json.ts';\n" },
    [],
  ],
  [
    'a room may not import a room above it',
    { 'src/model/a.ts': "\nimport { b } from '../rpc/b.ts';\n" },
    ['src/model/a.ts:2: model may not import rpc'],
  ],
  [
    'a room may not import its neighbour',
    { 'src/rpc/a.ts': "import { b } from '../schema/b.ts';\n" },
    ['src/rpc/a.ts:1: rpc may not import schema'],
  ],
  [
    'a type import counts',
    { 'src/core/a.ts': "import type {\n  B,\n} from '../dialects/b.ts';\n" },
    ['src/core/a.ts:3: core may not import dialects'],
  ],
  [
    'a dynamic import counts',
    { 'src/core/a.ts': "const b = await import('../transports/b.ts');\n" },
    ['src/core/a.ts:1: core may not import transports'],
  ],
  [
    'a re-export counts',
    { 'src/catalog/a.ts': "export { b } from '../dialects/mcp/b.ts';\n" },
    ['src/catalog/a.ts:1: catalog may not import dialects'],
  ],
  [
    'an import for its effects counts',
    { 'src/auth/a.ts': "import '../transports/b.ts';\n" },
    ['src/auth/a.ts:1: auth may not import transports'],
  ],
  [
    'a nested folder belongs to its room',
    { 'src/core/handlers/a.ts': "import { b } from '../../sessions/b.ts';\n" },
    ['src/core/handlers/a.ts:1: core may not import sessions'],
  ],
  [
    'the commands know the host only',
    { 'src/cli/a.ts': "import { b } from '../core/b.ts';\nimport { c } from '../host/c.ts';\n" },
    ['src/cli/a.ts:1: cli may not import core'],
  ],
  [
    'nothing in a room may import the public entry',
    { 'src/core/a.ts': "import { b } from '../index.ts';\n" },
    ['src/core/a.ts:1: core may not import src/index.ts'],
  ],
  [
    'the public entries may import anything',
    { 'src/index.ts': "export { a } from './cli/a.ts';\n", 'src/testing.ts': "export { a } from './rpc/a.ts';\n" },
    [],
  ],
  [
    'no other file stands at the root of src',
    { 'src/main.ts': 'export {};\n' },
    ['src/main.ts:1: only public entries stand at the root of src'],
  ],
  [
    'a room without rules is reported',
    { 'src/attic/a.ts': 'export {};\n' },
    ['src/attic/a.ts:1: room "attic" has no entry in scripts/layers.json'],
  ],
  [
    'an import in a comment, a string or a template is none',
    {
      'src/model/a.ts': `// import { b } from '../rpc/b.ts'\nexport const c = "import { b } from '../rpc/b.ts'";\nexport const d = \`\${c} import '../rpc/b.ts'\`;\n`,
    },
    [],
  ],
  [
    'a quote in a regular expression does not hide what follows',
    { 'src/model/a.ts': "export const q = /['\"`]/;\nimport { b } from '../rpc/b.ts';\n" },
    ['src/model/a.ts:2: model may not import rpc'],
  ],
  [
    'a unit test may import any room',
    { 'src/model/a.test.ts': "import { b } from '../rpc/b.ts';\nimport { test } from 'node:test';\n" },
    [],
  ],

  [
    'two files may not import each other',
    { 'src/rpc/a.ts': "import { b } from './b.ts';\n", 'src/rpc/b.ts': "import { a } from './a.ts';\n" },
    ['src/rpc/a.ts:1: import cycle: src/rpc/a.ts → src/rpc/b.ts → src/rpc/a.ts'],
  ],
  [
    'a cycle of types is a cycle',
    {
      'src/rpc/a.ts': "import type { B } from './b.ts';\n",
      'src/rpc/b.ts': "import type { C } from './c.ts';\n",
      'src/rpc/c.ts': "\nimport type { A } from './a.ts';\n",
    },
    ['src/rpc/a.ts:1: import cycle: src/rpc/a.ts → src/rpc/b.ts → src/rpc/c.ts → src/rpc/a.ts'],
  ],
  [
    'a file may not import itself',
    { 'src/rpc/a.ts': "import type { A } from './a.ts';\n" },
    ['src/rpc/a.ts:1: import cycle: src/rpc/a.ts → src/rpc/a.ts'],
  ],
  [
    'two ways to one file are no cycle',
    {
      'src/rpc/a.ts': "import './b.ts';\nimport './c.ts';\n",
      'src/rpc/b.ts': "import './c.ts';\n",
      'src/rpc/c.ts': 'export {};\n',
    },
    [],
  ],

  [
    'a revision is named only by the MCP dialect',
    {
      'src/sessions/a.ts': "if (id === '2025-11-25') run();\n",
      'src/dialects/mcp/a.ts': "export const id = '2025-11-25';\n",
    },
    ['src/sessions/a.ts:1: only src/dialects/mcp may name a revision'],
  ],
  [
    'the other dialects may not name a revision',
    { 'src/dialects/bare.ts': 'const id = "2024-11-05";\n' },
    ['src/dialects/bare.ts:1: only src/dialects/mcp may name a revision'],
  ],
  [
    'a revision in a template is named all the same',
    { 'src/core/a.ts': 'const id = `2024-11-05`;\n' },
    ['src/core/a.ts:1: only src/dialects/mcp may name a revision'],
  ],
  [
    'a comment or a test may name a revision',
    { 'src/core/a.ts': "// spec '2025-11-25' basic\n", 'src/core/a.test.ts': "const id = '2025-11-25';\n" },
    [],
  ],

  [
    'a JSON-RPC number stays in rpc and dialects',
    {
      'src/core/a.ts': 'const code = -32602;\n',
      'src/rpc/a.ts': 'const code = -32700;\n',
      'src/dialects/a.ts': 'const code = -31001;\n',
    },
    ['src/core/a.ts:1: only src/rpc and src/dialects may hold a JSON-RPC number'],
  ],
  [
    'an own JSON-RPC number is one too',
    { 'src/sessions/a.ts': '\nconst code = -31_001;\n' },
    ['src/sessions/a.ts:2: only src/rpc and src/dialects may hold a JSON-RPC number'],
  ],
  ['a number in a text is none', { 'src/core/a.ts': "const says = 'like -32602';\n" }, []],

  [
    'a status stays in the HTTP transport',
    { 'src/sessions/a.ts': 'const a = { status: 404 };\n', 'src/transports/http/a.ts': 'const a = { status: 404 };\n' },
    ['src/sessions/a.ts:1: only src/transports/http may hold an HTTP status'],
  ],
  [
    'a written head is a status',
    { 'src/transports/a.ts': 'response.writeHead(429, {});\n' },
    ['src/transports/a.ts:1: only src/transports/http may hold an HTTP status'],
  ],
  [
    'an assigned or compared status code is a status',
    {
      'src/host/a.ts':
        'response.statusCode = 500;\nif (response.status >= 400) fail();\nif (response.status === 200) run();\n',
    },
    [1, 2, 3].map((line) => `src/host/a.ts:${line}: only src/transports/http may hold an HTTP status`),
  ],

  [
    'a dialect has no clock',
    { 'src/dialects/a.ts': 'const now = Date.now();\n' },
    ['src/dialects/a.ts:1: this room has no clock, timer or randomness'],
  ],
  [
    'a dialect has no randomness',
    { 'src/dialects/a.ts': '\nconst luck = Math.random();\n' },
    ['src/dialects/a.ts:2: this room has no clock, timer or randomness'],
  ],

  [
    'the pure rooms may not import node',
    Object.fromEntries(
      ['model', 'dialects', 'catalog', 'telemetry'].map((room) => [
        `src/${room}/a.ts`,
        "import { readFile } from 'node:fs/promises';\n",
      ]),
    ),
    ['catalog', 'dialects', 'model', 'telemetry'].map(
      (room) => `src/${room}/a.ts:1: ${room} may not import node:fs/promises`,
    ),
  ],
  [
    'telemetry may import the diagnostics channel',
    { 'src/telemetry/a.ts': "import { channel } from 'node:diagnostics_channel';\n" },
    [],
  ],

  [
    'an engine client stays in its engine',
    {
      'src/store/redis.ts': "const client = await import('@redis/client');\n",
      'src/store/open.ts': "import { createClient } from '@redis/client';\n",
      'src/host/a.ts': "import 'pg/lib/client.js';\n",
    },
    [
      'src/host/a.ts:1: only src/store/<engine>.ts may import the engine client pg/lib/client.js',
      'src/store/open.ts:1: only src/store/<engine>.ts may import the engine client @redis/client',
    ],
  ],

  [
    '300 lines are allowed, 301 are not',
    { 'src/rpc/a.ts': lines(300), 'src/rpc/b.ts': lines(301) },
    ['src/rpc/b.ts:301: 301 lines, the limit is 300'],
  ],
  [
    'a last line without a newline counts',
    { 'src/rpc/b.ts': `${lines(300)}export {};` },
    ['src/rpc/b.ts:301: 301 lines, the limit is 300'],
  ],
  [
    'a generated file may be long when its first line says so',
    { 'src/rpc/a.ts': `// Generated by a script.\n${lines(301)}`, 'src/rpc/b.ts': `\n// Generated\n${lines(299)}` },
    ['src/rpc/b.ts:301: 301 lines, the limit is 300'],
  ],

  [
    'a name that says nothing is refused',
    { 'src/rpc/utils.ts': '', 'src/rpc/types.test.ts': '', 'scripts/helpers.mjs': '', 'src/core/shared/a.ts': '' },
    [
      ['scripts/helpers.mjs', 'helpers'],
      ['src/core/shared/a.ts', 'shared'],
      ['src/rpc/types.test.ts', 'types'],
      ['src/rpc/utils.ts', 'utils'],
    ].map(([file, name]) => `${file}:1: "${name}" is no name for a file or folder: say what it holds`),
  ],

  [
    'no shell sees a command, and no text becomes code, in whatever way it is tried',
    {
      'src/sandbox/a.ts': "import {\n  exec,\n} from 'node:child_process';\n",
      'src/sandbox/b.ts': "import { execSync, spawn } from 'node:child_process';\nspawn('x', { shell: true });\n",
      'src/sandbox/c.ts': "import * as all from 'node:child_process';\nall.spawn('x', [], { shell: '/bin/sh' });\n",
      'src/sandbox/d.ts': "export const a = eval('1');\nexport const b = new Function('1');\n",
      'src/sandbox/e.ts': "import { execFile, spawn } from 'node:child_process';\nspawn('x', [], { shell: false });\n",
      'src/sandbox/f.ts': '// eval(x), shell: true\nexport const a = lisp.eval(1);\n/a/.exec(a);\n',
      'src/sandbox/g.test.ts': "import { exec } from 'node:child_process';\n",
    },
    [
      'src/sandbox/a.ts:2: no shell sees a command, and no text becomes code',
      'src/sandbox/b.ts:1: no shell sees a command, and no text becomes code',
      'src/sandbox/b.ts:2: no shell sees a command, and no text becomes code',
      'src/sandbox/c.ts:1: no shell sees a command, and no text becomes code',
      'src/sandbox/c.ts:2: no shell sees a command, and no text becomes code',
      'src/sandbox/d.ts:1: no shell sees a command, and no text becomes code',
      'src/sandbox/d.ts:2: no shell sees a command, and no text becomes code',
    ],
  ],
  [
    'a left-over mark is found, in comments too',
    { 'src/rpc/a.ts': `\n// ${'TO'}DO later\n`, 'scripts/a.mjs': `throw new Error('${'not'} implemented');\n` },
    ['scripts/a.mjs:1: left-over mark', 'src/rpc/a.ts:2: left-over mark'],
  ],
  [
    'a skipped or exclusive test is found',
    { 'src/rpc/a.test.ts': `test.${'skip'}('a', run);\ntest('b', { ${'only'}: true }, run);\n` },
    [1, 2].map((line) => `src/rpc/a.test.ts:${line}: skipped, to-do or exclusive test`),
  ],
  [
    'a path of one machine is found anywhere',
    {
      'README.md': `\nSee /${'work'}/main/src.\n`,
      'docs/a.md': `/${'root'}/x\n`,
      'src/rpc/a.ts': "const link = 'framework/workshop/';\n",
    },
    ['README.md:2: path of one machine', 'docs/a.md:1: path of one machine'],
  ],
  [
    'a lockfile that names a download host is found',
    {
      'package-lock.json': '{\n"resolved": "https://example.org/a.tgz" }',
      'test/a/package-lock.json': '{ "version": "1.0.0" }',
    },
    ['package-lock.json:2: a lockfile names no download host'],
  ],
  [
    'installed and built files are not read',
    { 'test/tools/node_modules/utils.mjs': '', 'test/dist/utils.mjs': '' },
    [],
  ],
];

for (const [name, tree, expected] of cases) {
  test(`House check: ${name}`, () => assert.deepEqual(check(tree), expected));
}

test('House check: the command prints one line a violation and fails', () => {
  const root = mkdtempSync(join(tmpdir(), 'house-'));
  try {
    mkdirSync(join(root, 'src/model'), { recursive: true });
    writeFileSync(join(root, 'src/model/a.ts'), "import 'node:fs';\n");
    const command = fileURLToPath(new URL('./check-house.mjs', import.meta.url));
    const { status, stdout } = spawnSync(process.execPath, [command, root], { cwd: root, encoding: 'utf8' });
    assert.equal(stdout, 'src/model/a.ts:1: model may not import node:fs\n1 files, 1 violations\n');
    assert.equal(status, 1);
  } finally {
    rmSync(root, { recursive: true });
  }
});
