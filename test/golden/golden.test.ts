import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Revision } from '../../src/dialects/mcp/revision.ts';
import { REVISIONS } from '../../src/dialects/mcp/revisions.ts';
import { PROJECT } from '../requirements/read-obligations.ts';
import { ALL } from '../scenarios/revisions.ts';

// Each revision with everything it took over from the ones before it, so that an edit that reaches further than it
// was meant to shows in review. `UPDATE_GOLDEN=1` rewrites the files.

const FOLDER = join(PROJECT, 'test', 'golden');
const TABLES = ['methods', 'questions', 'tells', 'hears'] as const;

/** What a row says about itself: everything in it that is data. */
function expandRow(row: object): object {
  const plain = Object.entries(row).filter(([, value]) => typeof value !== 'function' && !isCodec(value));
  return Object.fromEntries(plain.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function isCodec(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'read' in value && 'write' in value;
}

function expand(revision: Revision): string {
  const tables = TABLES.map((name) => {
    const rows = Object.entries(revision[name] as Record<string, object>).sort(([one], [other]) =>
      one < other ? -1 : 1,
    );
    return [name, Object.fromEntries(rows.map(([key, row]) => [key, expandRow(row)]))];
  });
  const properties = Object.entries(revision).filter(([name]) => !TABLES.includes(name as never));
  return `${JSON.stringify({ ...Object.fromEntries(properties), ...Object.fromEntries(tables) }, null, 2)}\n`;
}

for (const revision of REVISIONS) {
  test(`${revision.id} is what its golden expansion says`, () => {
    const path = join(FOLDER, `${revision.id}.json`);
    const text = expand(revision);
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(path, text);
    assert.ok(existsSync(path), `${path} is missing: run with UPDATE_GOLDEN=1`);
    assert.deepEqual(JSON.parse(text), JSON.parse(readFileSync(path, 'utf8')));
    assert.equal(readFileSync(path, 'utf8'), text);
  });
}

test('there is one golden expansion a revision, and no other', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
  assert.deepEqual(files.sort(), ALL.map((id) => `${id}.json`).sort());
  assert.deepEqual(REVISIONS.map(({ id }) => id).sort(), [...ALL].sort());
});

test('revisions are listed newest first', () => {
  const ids = REVISIONS.map(({ id }) => id);
  assert.deepEqual(ids, [...ids].sort().reverse());
});

test('every method of a revision has a verb of its own, so that an answer finds its row', () => {
  for (const { id, methods } of REVISIONS) {
    const verbs = Object.values(methods).map(({ verb }) => verb);
    assert.equal(new Set(verbs).size, verbs.length, id);
  }
});
