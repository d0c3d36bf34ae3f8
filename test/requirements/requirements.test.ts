import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ALL } from '../scenarios/revisions.ts';
import { PROJECT, readObligations } from './read-obligations.ts';

const SERVED = new Set(['stdio', 'tasks', 'http']);
const MOST_KEPT = 8;
const obligations = readObligations();

/** The ids scenarios cite, by the file that cites them. */
function cited(): Map<string, string[]> {
  const folder = join(PROJECT, 'test', 'scenarios');
  const found = new Map<string, string[]>();
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.test.ts'),
  )) {
    const source = readFileSync(join(folder, file), 'utf8');
    for (const [, id = ''] of source.matchAll(/\bobligation\(\s*'([^']*)'/g))
      found.set(id, [...(found.get(id) ?? []), file]);
  }
  return found;
}

test('every obligation has an id of its own, a rule, and revisions that exist', () => {
  const ids = obligations.map(({ id }) => id);
  assert.deepEqual(
    ids.filter((id, at) => ids.indexOf(id) !== at),
    [],
  );
  for (const { id, level, revisions, rule, concern } of obligations) {
    assert.match(id, /^[A-Z]+-\d+$/);
    assert.match(level, /^(?:MUST|SHOULD)(?: NOT)?\*?$/, id);
    assert.ok(rule.length > 10 && rule.length < 160, id);
    assert.ok(revisions.length > 0 && revisions.every((revision) => ALL.includes(revision)), id);
    assert.ok(['stdio', 'http', 'auth', 'tasks'].includes(concern), id);
  }
});

test('each revision has as many obligations as were found in its text', () => {
  const counts = ALL.map((revision) => obligations.filter(({ revisions }) => revisions.includes(revision)).length);
  assert.deepEqual(counts, [42, 62, 72, 95, 110]);
});

test('every obligation of a part that is served is cited by a scenario, or says who keeps it', () => {
  const ids = cited();
  const due = obligations.filter(({ concern, kept }) => SERVED.has(concern) && kept === undefined);
  assert.deepEqual(
    due.filter(({ id }) => !ids.has(id)).map(({ id }) => id),
    [],
  );
});

test('no scenario cites an obligation that is unknown, not yet served, or kept by someone else', () => {
  const known = new Map(obligations.map((obligation) => [obligation.id, obligation]));
  const wrong = [...cited()].filter(([id]) => {
    const obligation = known.get(id);
    return obligation === undefined || !SERVED.has(obligation.concern) || obligation.kept !== undefined;
  });
  assert.deepEqual(wrong, []);
});

test('few obligations are left to others, each with a reason', () => {
  const kept = obligations.filter((obligation) => obligation.kept !== undefined);
  assert.ok(kept.length <= MOST_KEPT, `${kept.length} are left to others`);
  for (const { id, kept: reason, concern } of kept) {
    assert.match(reason ?? '', /^by the (?:author|transport): .{20,}$/, id);
    assert.ok(SERVED.has(concern), id);
  }
});
