// Tests and sources that a document names: `src/a.test.ts` “what it shows”. A name that no test has is a promise nobody keeps.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './run.mjs';

const NAMED = /`((?:src|test|scripts)\/[^`\s]+\.test\.(?:ts|mjs))`((?:,? “[^”]+”)+)/g;
const SOURCE = /`((?:src|test|scripts|examples|docs)\/[^`\s*]+\.[a-z]+)`/g;
const OPENER = /\b(?:test|it|describe|scenario|obligation)\(/g;
const LITERAL = /'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`/g;
/** How far behind the opening of a test its name may stand. */
const REACH = 400;

/** The names of the tests in a source; what is put into a name at run time is written as `…`. */
export function testNames(source) {
  const names = new Set();
  for (const { index } of source.matchAll(OPENER)) {
    // The name of a test for an obligation stands behind the id of that.
    const literals = [...source.slice(index, index + REACH).matchAll(LITERAL)].slice(0, 4);
    for (const [, single, double, template] of literals) {
      const name = single ?? double ?? template;
      names.add(name.replaceAll(/\$\{[^}]*\}/g, '…').replaceAll(/\\(.)/g, '$1'));
    }
  }
  return names;
}

/** Every test and source a text names that does not exist. `read` gives the text of a file, or `undefined`. */
export function namedTestProblems(text, read) {
  const sources = [...text.matchAll(SOURCE)].flatMap(([, path]) =>
    read(path) === undefined ? [`"${path}" does not exist`] : [],
  );
  const tests = [...text.matchAll(NAMED)].flatMap(([, path, said]) => {
    const source = read(path);
    if (source === undefined) return [];
    const names = testNames(source);
    return [...said.matchAll(/“([^”]+)”/g)].flatMap(([, name]) =>
      names.has(name) ? [] : [`${path} has no test “${name}”`],
    );
  });
  return [...sources, ...tests];
}

/** Rows of the tables below a heading that name no test. */
export function untestedRows(text, heading) {
  const [, after = ''] = text.split(`\n## ${heading}\n`);
  const [section] = after.split('\n## ');
  return section
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (?:-|attack\b)/.test(line))
    .filter((line) => !line.includes('.test.'))
    .map((line) => `no test is named for: ${line.slice(2, 80)}`);
}

const readFile = (path) => (existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : undefined);

/** What is wrong with the tests that the threat model relies on. */
export function securityProblems() {
  const path = 'docs/security.md';
  const text = readFile(path) ?? '';
  return [...namedTestProblems(text, readFile), ...untestedRows(text, 'What is defended, and by which test')].map(
    (problem) => `${path}: ${problem}`,
  );
}
