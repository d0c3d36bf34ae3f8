// Joins the built modules into few files: loading hundreds of small ones is most of what a start costs.
// Usage: node scripts/join.mjs [--from dist/src] [--to dist/joined]

import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { checkLazy, cutParts, partText, standInText } from './parts.mjs';
import { filesIn, isMain, ROOT } from './run.mjs';

/** What other programs name: the command and the entries of the package. */
const ENTRIES = ['cli/parley.js', 'index.js', 'testing.js'];

const ADDRESS = /new URL\('(\.[^']+\.js)', import\.meta\.url\)/g;

/** All joined files lie in one folder, so the path of a module becomes its name. */
const nameOf = (from, path) => relative(from, path).replace(/\.js$/, '').split(sep).join('-').replace(/^cli-/, '');

/** Modules that are started by their address, such as workers: they stay files of their own. */
function addressed(from) {
  const built = filesIn(relative(ROOT, from), '.js').filter((path) => !path.endsWith('.test.js'));
  return built.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(ADDRESS)].map(([, address]) => resolve(dirname(path), address)),
  );
}

const BUILTIN = /^import (\w+) from '(node:[\w/]+)';$/gm;
const BUILTIN_NAMES = /^import \{([^}]+)\} from '(node:(?!fs')[\w/]+)';$/gm;
const CRYPTO_FUNCTIONS = /^import \{((?:\s*(?:random|create)\w+,?)+\s*)\} from 'node:crypto';$/gm;

const lateFunction = (name) =>
  `const ${name.trim()} = (...input) => process.getBuiltinModule('node:crypto').${name.trim()}(...input);`;

/**
 * Takes Node's own modules as CommonJS does: as modules they would be read out, which loads all they load lazily.
 * Names of `node:fs` stay imports, because the guard of stdout replaces some of its functions. What is made with
 * `node:crypto` loads it when it is made: it is the largest, and a start needs nothing of it.
 */
export function withoutReading(text) {
  return text
    .replace(BUILTIN, "const $1 = process.getBuiltinModule('$2');")
    .replace(CRYPTO_FUNCTIONS, (_, names) => names.split(',').map(lateFunction).join(' '))
    .replace(BUILTIN_NAMES, (_, names, builtin) => {
      return `const {${names.replaceAll(' as ', ': ')}} = process.getBuiltinModule('${builtin}');`;
    });
}

/** Makes the text of a module fit for a folder in which everything lies, and quick to load. */
const texts = (from) => ({
  name: 'texts',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8').replace(ADDRESS, (_, address) => {
        return `new URL('./${nameOf(from, resolve(dirname(path), address))}.js', import.meta.url)`;
      });
      return { contents: withoutReading(text), loader: 'js' };
    });
  },
});

/** Has imports of what another file holds come from there. `own` is the part that is built, if it is one. */
const standIns = ({ partOf }, { from, own }) => ({
  name: 'stand-ins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\./, namespace: 'stand-in' }, ({ path }) => ({ path, external: true }));
    onResolve({ filter: /^\./, namespace: 'file' }, ({ path: address, resolveDir, kind, importer }) => {
      const path = resolve(resolveDir, address);
      const part = partOf(path);
      if (kind === 'dynamic-import' && part !== undefined) {
        checkLazy(part, path);
        return { path: `./${part.name}.js`, external: true };
      }
      if (kind === 'dynamic-import' && own !== undefined) return { path: `./${nameOf(from, path)}.js`, external: true };
      if (part === undefined || part === own) return undefined;
      // One for each importer: a stand-in that several files need would become a file.
      return { path, namespace: 'stand-in', suffix: `?${importer}` };
    });
    onLoad({ filter: /\.js$/, namespace: 'stand-in' }, ({ path }) => ({ contents: standInText(partOf(path), path) }));
  },
});

/** Writes the joined files of a built tree. */
export async function joinModules({ from, to }) {
  const entries = ENTRIES.map((entry) => join(from, entry));
  const started = [...new Set(addressed(from))].filter((path) => !entries.includes(path));
  const cut = await cutParts({ from, entries, started });
  const options = {
    outdir: to,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // Known to every Node there is; what is not gets made anew at each use.
    supported: { 'regexp-unicode-property-escapes': true },
    packages: 'external',
    legalComments: 'none',
    minifyWhitespace: true,
    logLevel: 'warning',
  };
  const named = (paths) => paths.map((path) => ({ in: path, out: nameOf(from, path) }));
  rmSync(to, { recursive: true, force: true });
  for (const own of cut.parts) {
    await build({
      ...options,
      outdir: undefined,
      outfile: join(to, `${own.name}.js`),
      stdin: { contents: partText(own), resolveDir: from },
      plugins: [standIns(cut, { from, own }), texts(from)],
    });
  }
  for (const path of started.filter(cut.isAlone))
    await build({ ...options, entryPoints: named([path]), plugins: [texts(from)] });
  await build({
    ...options,
    splitting: true,
    entryPoints: named([...entries, ...cut.lazy, ...started.filter((path) => !cut.isAlone(path))]),
    plugins: [standIns(cut, { from }), texts(from)],
  });
  // `npx parley` in a checkout starts the file itself, and npm makes it executable only when it installs.
  chmodSync(join(to, 'parley.js'), 0o755);
}

if (isMain(import.meta.url)) {
  const { values } = parseArgs({
    options: { from: { type: 'string', default: 'dist/src' }, to: { type: 'string', default: 'dist/joined' } },
  });
  await joinModules({ from: resolve(values.from), to: resolve(values.to) });
}
