// Local links and runnable examples of Markdown documents.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { ROOT, run } from './run.mjs';

const FENCE = /^(`{3,})([a-z]*)[^\n]*\n([\s\S]*?)^\1$/gm;

/** The anchor a heading gets on the usual Markdown sites. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

const withoutCode = (text) => text.replaceAll(FENCE, '').replaceAll(/`[^`\n]*`/g, '');

function anchorsOf(path) {
  const text = readFileSync(path, 'utf8').replaceAll(FENCE, '');
  return new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading)));
}

/** Why a link leads nowhere, or `undefined` when it does not. */
function linkProblem(document, target) {
  if (/^[a-z][a-z+.-]*:/i.test(target)) return undefined;
  const [path, anchor] = target.split('#');
  const whole = path === '' ? document : resolve(dirname(document), decodeURIComponent(path));
  if (!existsSync(whole)) return 'does not exist';
  if (anchor === undefined || !whole.endsWith('.md')) return undefined;
  return anchorsOf(whole).has(anchor) ? undefined : 'has no such heading';
}

/** Every local link of the documents that leads nowhere. */
export function linkProblems(documents) {
  return documents.flatMap((document) =>
    [...withoutCode(readFileSync(document, 'utf8')).matchAll(/\]\(([^()\s]+)\)/g)].flatMap(([, target]) => {
      const problem = linkProblem(document, target);
      return problem === undefined ? [] : [`${relative(ROOT, document)}: link "${target}" ${problem}`];
    }),
  );
}

/** The `ts` examples of a text that say on their first line that they run: `{ source, line }`. */
export function examplesOf(text) {
  return [...text.matchAll(FENCE)]
    .filter(([, , language, source]) => language === 'ts' && /^\/\/ runs\b/.test(source))
    .map((match) => ({ source: match[3], line: text.slice(0, match.index).split('\n').length + 1 }));
}

const TSC_OPTIONS = {
  noUnusedLocals: false,
  incremental: false,
  noEmit: false,
  declaration: false,
  outDir: 'built',
  rootDir: '.',
};

/** Compiles and runs every example inside `dist`, where the package finds itself by name. */
export async function exampleProblems(documents) {
  const folder = join(ROOT, 'dist', 'examples');
  const examples = documents.flatMap((document) =>
    examplesOf(readFileSync(document, 'utf8')).map((example) => ({
      ...example,
      place: `${relative(ROOT, document)}:${example.line}`,
    })),
  );
  if (examples.length === 0) return { count: 0, problems: [] };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [index, { source }] of examples.entries()) writeFileSync(join(folder, `example-${index}.ts`), source);
  const config = {
    extends: '../../tsconfig.json',
    compilerOptions: { ...TSC_OPTIONS, tsBuildInfoFile: null },
    include: ['*.ts'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const compiled = await run(process.execPath, [tsc, '-p', folder], { quiet: true });
  const named = compiled.output.replaceAll(/\S*example-(\d+)\.ts/g, (_, index) => examples[Number(index)].place);
  if (compiled.code !== 0)
    return { count: examples.length, problems: [`the examples do not compile\n${named.trimEnd()}`] };
  const problems = [];
  for (const [index, { place }] of examples.entries()) {
    const { code, output } = await run(process.execPath, [join(folder, 'built', `example-${index}.js`)], {
      quiet: true,
    });
    if (code !== 0) problems.push(`${place}: the example ends with code ${code}\n${output.trimEnd()}`);
  }
  return { count: examples.length, problems };
}
