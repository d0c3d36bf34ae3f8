// The rules of the house that a compiler and a linter do not know. One line a violation: `file:line: rule`.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, posix, relative, sep } from 'node:path';
import { isMain, ROOT } from './run.mjs';
import { importsOf, lineAt, separate } from './source.mjs';

const LAYERS = JSON.parse(readFileSync(new URL('./layers.json', import.meta.url), 'utf8'));
const FOLDERS = ['src', 'test', 'scripts', 'bench', 'examples', 'docs', 'bin', '.ci'];
const UNREAD = new Set(['node_modules', 'dist', 'coverage', 'profiles', '.git']);
const BINARY = /\.(?:png|ico|gz|tgz|bin|wasm)$/;

// The character classes keep these patterns from finding themselves.
const MARK = /\b(?:T[O]DO|F[I]XME|X[X]X|H[A]CK)\b|not[ ]implemented|un[i]mplemented/;
const SKIPPED = /\b(?:test|it|describe)\.(?:skip|todo|only)\b|\b(?:skip|todo|only): *true/;
const DOWNLOAD_HOST = /"resolved": *"https?:/;
const MACHINE_PATH = /(?:^|[^A-Za-z0-9])\/(?:work|farm|root)\//;
const REVISION = /(['"`])20\d\d-\d\d-\d\d\1/;
const RPC_NUMBER = /-\s?3[12]_?\d{3}\b/;
const STATUS = /\bwriteHead\(\s*\d|\bstatus(?:Code)?\s*(?:[:=<>]|[=!]==|[<>]=)\s*[1-5]\d\d\b/;
const SHELL = new RegExp(
  [
    /\bshell\s*:(?!\s*false\b)/,
    /\bexec(?:Sync)?\b[^;]*\bfrom\s*['"](?:node:)?child_process/,
    /\bimport\s+(?:\*\s+as\s+)?\w+\s+from\s*['"](?:node:)?child_process/,
    /(?<![\w.#])eval\(/,
    /\bnew Function\(/,
  ]
    .map(({ source }) => source)
    .join('|'),
);
const IMPURE =
  /\b(?:Date\.now|new Date\(\s*\)|Math\.random|performance\.now|randomUUID|getRandomValues|setTimeout|setInterval)/;

/** Every file below a folder, as `/`-separated paths relative to `root`. */
function walk(root, folder) {
  const whole = join(root, folder);
  if (!existsSync(whole)) return [];
  return readdirSync(whole, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return UNREAD.has(entry.name) ? [] : walk(root, path);
    return entry.isFile() && !BINARY.test(entry.name) ? [path] : [];
  });
}

function describeFile(root, path) {
  const text = readFileSync(join(root, path), 'utf8');
  const script = /\.(?:ts|mts|mjs|js)$/.test(path);
  const separated = script ? separate(text) : { code: text, bare: text };
  const inside = path.startsWith('src/');
  const rest = path.split('/');
  return {
    path,
    text,
    ...separated,
    script,
    lock: basename(path) === 'package-lock.json',
    inside: inside && script,
    test: /\.test\.[a-z]+$/.test(path),
    generated: /Generated/.test(text.slice(0, Math.max(0, text.indexOf('\n')))),
    room: inside ? (rest[2] === undefined ? '' : rest[1]) : undefined,
    imports: script ? importsOf(text, separated) : [],
  };
}

/** A rule that looks for a pattern in one view of a file and lets some files be. */
const pattern =
  (view, found, { rule, applies }) =>
  (file) => {
    if (!applies(file)) return [];
    const matches = file[view].matchAll(
      new RegExp(found, found.flags.replace('g', '') + (found.flags.includes('m') ? 'g' : 'gm')),
    );
    return [...matches].map((match) => ({ line: lineAt(file.text, match.index), rule }));
  };

const product = (file) => file.inside && !file.test;
const within = (file, ...folders) => folders.some((folder) => file.path.startsWith(`${folder}/`));

const patternRules = [
  pattern('code', REVISION, {
    rule: 'only src/dialects/mcp may name a revision',
    applies: (file) => product(file) && !within(file, 'src/dialects/mcp'),
  }),
  pattern('bare', RPC_NUMBER, {
    rule: 'only src/rpc and src/dialects may hold a JSON-RPC number',
    applies: (file) => product(file) && !within(file, 'src/rpc', 'src/dialects'),
  }),
  pattern('bare', STATUS, {
    rule: 'only src/transports/http may hold an HTTP status',
    applies: (file) => product(file) && !within(file, 'src/transports/http'),
  }),
  pattern('bare', IMPURE, {
    rule: 'this room has no clock, timer or randomness',
    applies: (file) => product(file) && LAYERS.pure.includes(file.room),
  }),
  pattern('code', SHELL, {
    rule: 'no shell sees a command, and no text becomes code',
    applies: (file) => product(file),
  }),
  pattern('text', MARK, {
    rule: 'left-over mark',
    applies: (file) => within(file, 'src', 'scripts', 'bin', 'test', 'bench', 'examples'),
  }),
  pattern('bare', SKIPPED, { rule: 'skipped, to-do or exclusive test', applies: (file) => file.script && file.test }),
  pattern('text', MACHINE_PATH, { rule: 'path of one machine', applies: (file) => !file.lock }),
  pattern('text', DOWNLOAD_HOST, { rule: 'a lockfile names no download host', applies: (file) => file.lock }),
];

const layerRule = (file) => {
  if (!product(file)) return [];
  if (file.room === '') {
    return LAYERS.free.includes(basename(file.path))
      ? []
      : [{ line: 1, rule: 'only public entries stand at the root of src' }];
  }
  const allowed = LAYERS.rooms[file.room];
  if (allowed === undefined) return [{ line: 1, rule: `room "${file.room}" has no entry in scripts/layers.json` }];
  return file.imports.flatMap(({ specifier, line }) => {
    if (!specifier.startsWith('.')) return [];
    const target = posix.join(posix.dirname(file.path), specifier).split('/');
    const to = target[0] === 'src' && target.length > 2 ? target[1] : target.join('/');
    return to === file.room || allowed.includes(to) ? [] : [{ line, rule: `${file.room} may not import ${to}` }];
  });
};

const builtinRule = (file) => {
  const allowed = LAYERS.builtins[file.room];
  if (!product(file) || allowed === undefined) return [];
  return file.imports
    .filter(({ specifier }) => specifier.startsWith('node:') && !allowed.includes(specifier))
    .map(({ specifier, line }) => ({ line, rule: `${file.room} may not import ${specifier}` }));
};

const packageName = (specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

const engineRule = (file) => {
  const home = /^src\/store\/[^/]+\.ts$/.test(file.path) && !/\/(?:store|open)\.ts$/.test(file.path);
  if (!file.inside || home) return [];
  return file.imports
    .filter(({ specifier }) => LAYERS.engines.includes(packageName(specifier)))
    .map(({ specifier, line }) => ({
      line,
      rule: `only src/store/<engine>.ts may import the engine client ${specifier}`,
    }));
};

const lengthRule = (file) => {
  const lines = file.text.split('\n').length - (file.text.endsWith('\n') ? 1 : 0);
  const counted = file.script && !file.test && !file.generated;
  return counted && lines > LAYERS.maxLines
    ? [{ line: lines, rule: `${lines} lines, the limit is ${LAYERS.maxLines}` }]
    : [];
};

const nameRule = (file) => {
  if (!file.script) return [];
  const names = file.path.split('/').map((part) => part.split('.')[0]);
  const bad = names.find((name) => LAYERS.forbiddenNames.includes(name));
  return bad === undefined ? [] : [{ line: 1, rule: `"${bad}" is no name for a file or folder: say what it holds` }];
};

const FILE_RULES = [...patternRules, layerRule, builtinRule, engineRule, lengthRule, nameRule];

const modulePath = (file, specifier) =>
  posix.join(posix.dirname(file.path), specifier).replace(/\.js$/, file.path.endsWith('.ts') ? '.ts' : '.js');

/** The first cycle through each file not yet known to be free of one. */
function findCycles(files) {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set();
  const cycles = [];
  const visit = (file, trail) => {
    const start = trail.indexOf(file);
    if (start !== -1) {
      cycles.push([...trail.slice(start), file]);
      return;
    }
    if (done.has(file)) return;
    for (const { specifier } of file.imports) {
      const next = specifier.startsWith('.') ? byPath.get(modulePath(file, specifier)) : undefined;
      if (next !== undefined) visit(next, [...trail, file]);
    }
    done.add(file);
  };
  for (const file of files) visit(file, []);
  return cycles.map((trail) => {
    const [first, second] = trail;
    const line = first.imports.find(({ specifier }) => modulePath(first, specifier) === second.path)?.line ?? 1;
    return { file: first.path, line, rule: `import cycle: ${trail.map((file) => file.path).join(' → ')}` };
  });
}

/** Every violation in the tree at `root`, in the order of the files. */
export function checkHouse(root) {
  const loose = readdirSync(root).filter((name) => /\.(?:md|json|mjs|ts)$/.test(name));
  const paths = [...loose, ...FOLDERS.flatMap((folder) => walk(root, folder))];
  const files = paths.sort().map((path) => describeFile(root, path));
  const found = files.flatMap((file) =>
    FILE_RULES.flatMap((rule) => rule(file)).map(({ line, rule }) => ({ file: file.path, line, rule })),
  );
  return { files: files.length, violations: [...found, ...findCycles(files.filter((file) => file.script))] };
}

if (isMain(import.meta.url)) {
  const root = process.argv[2] ?? ROOT;
  const { files, violations } = checkHouse(root);
  for (const { file, line, rule } of violations)
    console.log(`${relative('.', join(root, file)).split(sep).join('/')}:${line}: ${rule}`);
  console.log(`${files} files, ${violations.length} violations`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
