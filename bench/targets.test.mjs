import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSubjects, loadWorks } from './catalogue.mjs';
import { judge, TARGETS } from './targets.mjs';

const results = [
  {
    work: { id: 'calls' },
    rows: [
      { id: 'floor', samples: [{ perSecond: 100, cpu: 10 }] },
      { id: 'parley', samples: [{ perSecond: 80, cpu: 12 }] },
      { id: 'sdk-2', samples: [{ perSecond: 10, cpu: 120 }] },
    ],
  },
];
const verdict = (target, machine = { processors: 2 }) => judge([target], results, machine)[0];

test('judge compares with another subject in both directions', () => {
  const share = { work: 'calls', figure: 'perSecond', against: 'floor' };
  assert.equal(verdict({ ...share, atLeast: 0.8 }).verdict, 'reached');
  assert.equal(verdict({ ...share, atLeast: 0.81 }).verdict, 'missed');
  const less = { work: 'calls', figure: 'cpu', against: 'sdk-2', inverse: true };
  assert.equal(verdict({ ...less, atLeast: 10 }).value, 10);
});

test('judge takes a figure as it is when there is nobody to compare with', () => {
  assert.equal(verdict({ work: 'calls', figure: 'cpu', atMost: 12 }).verdict, 'reached');
  assert.equal(verdict({ work: 'calls', figure: 'cpu', atMost: 11 }).verdict, 'missed');
});

test('judge says when something was not measured, and when the machine is too small for it', () => {
  assert.equal(verdict({ work: 'lists', figure: 'cpu', atMost: 1 }).verdict, 'not measured');
  assert.equal(verdict({ work: 'calls', figure: 'cpu', against: 'tmcp', atMost: 1 }).verdict, 'not measured');
  assert.match(verdict({ work: 'calls', figure: 'cpu', atMost: 99, processors: 3 }).why, /needs 3 processors/);
});

test('judge says why a target may be missed, only where it is', () => {
  const share = { work: 'calls', figure: 'perSecond', against: 'floor', ifMissed: 'it is hard' };
  assert.equal(verdict({ ...share, atLeast: 0.9 }).why, 'it is hard');
  assert.equal(verdict({ ...share, atLeast: 0.8 }).why, undefined);
});

test('every target names a work and subjects that exist', async () => {
  const works = new Map((await loadWorks()).map((work) => [work.id, work]));
  const subjects = (await loadSubjects()).map(({ id }) => id);
  for (const { says, work, subject = 'parley', against, againstWork = work, atLeast, atMost } of TARGETS) {
    assert.ok(works.has(work) && works.has(againstWork), `${says}: no work "${work}"`);
    const { variants = [], more = [] } = works.get(work);
    const known = variants.length > 0 ? variants.map(({ id }) => id) : [...subjects, ...more.map(({ id }) => id)];
    for (const id of [subject, against ?? subject]) assert.ok(known.includes(id), `${says}: no subject "${id}"`);
    assert.ok((atLeast === undefined) !== (atMost === undefined), `${says}: one bound, not ${atLeast} and ${atMost}`);
  }
});
