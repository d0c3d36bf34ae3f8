// Joins the built modules into few files: loading hundreds of small ones is most of what a start costs.
// Usage: node scripts/join.mjs [--from dist/src] [--to dist/joined]

import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
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

/** Makes addresses of modules hold where everything lies in one folder. */
const addresses = (from) => ({
  name: 'addresses',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const contents = text.replace(ADDRESS, (_, address) => {
        return `new URL('./${nameOf(from, resolve(dirname(path), address))}.js', import.meta.url)`;
      });
      return contents === text ? undefined : { contents, loader: 'js' };
    });
  },
});

/** Writes the joined files of a built tree. */
export async function joinModules({ from, to }) {
  const entries = new Set([...ENTRIES.map((entry) => join(from, entry)), ...addressed(from)]);
  rmSync(to, { recursive: true, force: true });
  await build({
    entryPoints: [...entries].map((path) => ({ in: path, out: nameOf(from, path) })),
    outdir: to,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    legalComments: 'none',
    minifyWhitespace: true,
    logLevel: 'warning',
    plugins: [addresses(from)],
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
