// Parts of the joined package: modules that are loaded together whatever is served, each part one file.

import { relative, resolve } from 'node:path';
import { build } from 'esbuild';

/** A part holds its roots and all they import, but what an earlier part holds. What is imported lazily is no part of it. */
const PARTS = [
  // Two processes load this where stdout is guarded, and one of them nothing else.
  { name: 'start', roots: ['cli/stdio.js'] },
  {
    name: 'serving',
    roots: [
      'host/pipe.js',
      'host/settings.js',
      'host/open-modules.js',
      'catalog/server.js',
      'store/open.js',
      'providers/isolated/isolated.js',
      'providers/packs/hello.js',
      'providers/packs/lisp/open.js',
      'providers/packs/humanity/humanity.js',
    ],
  },
  { name: 'http', roots: ['host/http.js', 'host/endpoint.js'] },
];

/** What every module imports, and what it exports. */
async function survey(entries, from) {
  const options = { outdir: from, outbase: from, write: false, metafile: true, logLevel: 'silent', format: 'esm' };
  const { metafile } = await build({
    ...options,
    entryPoints: entries,
    bundle: true,
    splitting: true,
    platform: 'node',
    packages: 'external',
  });
  const paths = Object.keys(metafile.inputs).map((path) => resolve(path));
  const named = await build({ ...options, entryPoints: paths, bundle: false });
  const exports = new Map(
    Object.values(named.metafile.outputs).map(({ entryPoint, exports: names }) => [resolve(entryPoint), names]),
  );
  return new Map(
    Object.entries(metafile.inputs).map(([path, { imports }]) => [
      resolve(path),
      {
        exports: exports.get(resolve(path)),
        imports: imports
          .filter(({ external }) => external !== true)
          .map((one) => ({ path: resolve(one.path), lazy: one.kind === 'dynamic-import' })),
      },
    ]),
  );
}

/** Everything some modules reach; by lazy imports too, or not. */
function reach(modules, roots, { lazily }) {
  const reached = new Set();
  const open = [...roots];
  while (open.length > 0) {
    const path = open.pop();
    if (reached.has(path)) continue;
    reached.add(path);
    for (const one of modules.get(path).imports) if (lazily || !one.lazy) open.push(one.path);
  }
  return reached;
}

/** The modules of a part that others import, or that are imported lazily, which is from the part's file too. */
function wanted(modules, part) {
  const importing = [...modules].flatMap(([from, { imports }]) => imports.map((one) => ({ ...one, from })));
  return new Set(importing.filter(({ from, lazy }) => lazy || !part.has(from)).map(({ path }) => path));
}

/** Gives what a part exports a name of its own; the first to come keeps its name. */
function nameExports(modules, paths) {
  const taken = new Set();
  const outside = wanted(modules, new Set(paths));
  return new Map(
    paths.map((path) => {
      const exported = outside.has(path) ? modules.get(path).exports : [];
      const pairs = exported.map((name) => {
        let outer = name;
        for (let count = 1; taken.has(outer); count += 1) outer = `${name}$${count}`;
        taken.add(outer);
        return { name, outer };
      });
      return [path, pairs];
    }),
  );
}

/** Cuts the modules into parts and the rest. */
export async function cutParts({ from, entries, started }) {
  const modules = await survey([...entries, ...started], from);
  const placed = new Map();
  const parts = PARTS.map(({ name, roots }) => {
    const paths = [
      ...reach(
        modules,
        roots.map((root) => resolve(from, root)),
        { lazily: false },
      ),
    ];
    const names = nameExports(
      modules,
      paths.filter((path) => !placed.has(path)),
    );
    const part = { name, names };
    for (const path of names.keys()) placed.set(path, part);
    return part;
  });
  const roots = new Set(PARTS.flatMap((part) => part.roots.map((root) => resolve(from, root))));
  const lazy = new Set(
    [...placed.keys()].flatMap((path) =>
      modules
        .get(path)
        .imports.filter((one) => one.lazy)
        .map(({ path: to }) => to),
    ),
  );
  return {
    parts,
    partOf: (path) => placed.get(path),
    /** What parts import lazily and do not hold. */
    lazy: [...lazy].filter((path) => !placed.has(path)),
    /** Whether a module has nothing to do with what is served, such as a worker that computes. */
    isAlone: (path) => ![...reach(modules, [path], { lazily: true })].some((one) => roots.has(one)),
  };
}

/** The text of a module that makes a part: it exports what others import of its modules. */
export function partText({ names }) {
  return [...names]
    .filter(([, pairs]) => pairs.length > 0)
    .map(
      ([path, pairs]) =>
        `export {${pairs.map(({ name, outer }) => `${name} as ${outer}`)}} from ${JSON.stringify(path)};`,
    )
    .join('\n');
}

/** The text of a module that stands for one in a part. */
export function standInText({ name: part, names }, path) {
  return `export {${names.get(path).map(({ name, outer }) => `${outer} as ${name}`)}} from './${part}.js';`;
}

/** Throws where a module cannot be imported lazily from its part, since another one has taken a name. */
export function checkLazy({ name: part, names }, path) {
  const renamed = names.get(path).find(({ name, outer }) => name !== outer);
  if (renamed === undefined) return;
  throw new Error(`Cannot import "${relative('.', path)}" lazily: part "${part}" has another "${renamed.name}"`);
}
