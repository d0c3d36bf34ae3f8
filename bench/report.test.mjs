import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawChart } from './chart.mjs';
import { writeDocument } from './document.mjs';
import { chooseWorks, readOptions } from './options.mjs';
import { selfTimes } from './profile.mjs';
import { renderPlain } from './tables.mjs';

const sample = { perSecond: 100, cpu: 10, p50: 1, p99: 2, generator: 0.95 };
const result = {
  work: { id: 'http-session', title: 'HTTP: calls & more' },
  rows: [
    { id: 'floor', name: 'floor', samples: [sample] },
    { id: 'parley', name: 'Parley', samples: [{ ...sample, perSecond: 80 }] },
  ],
  skipped: [{ name: 'tmcp', why: 'it failed' }],
};

test('renderPlain shows ratios, a load that may have been too slow, and why a subject is missing', () => {
  const text = renderPlain(result);
  assert.match(text, /Parley +80\.0 +0\.80/);
  assert.match(text, /95 % !/);
  assert.match(text, /tmcp: not measured: it failed/);
});

test('drawChart draws a bar a subject, escapes titles, and fits both colour schemes', () => {
  const svg = drawChart([result]);
  assert.equal(svg.match(/<rect class="(?:ours|floor|peer)"/g).length, 2);
  assert.match(svg, /HTTP: calls &amp; more/);
  assert.match(svg, /prefers-color-scheme: dark/);
});

test('drawChart leaves out a work without a floor', () => {
  assert.doesNotMatch(drawChart([{ ...result, rows: result.rows.slice(1) }]), /calls/);
});

test('writeDocument says where it was measured, what was reached and what was not measured', () => {
  const verdicts = [
    { says: 'A', atLeast: 0.8, value: 0.8, verdict: 'reached' },
    { says: 'B', atMost: 4, verdict: 'not measured', why: 'needs 3 processors, there are 2' },
  ];
  const machine = { node: 'v20.0.0', processor: 'P', processors: 2, pinned: true };
  const text = writeDocument({
    results: [result],
    verdicts,
    machine,
    run: { date: '2026-01-01', load: 0.1, seconds: 60 },
  });
  assert.match(text, /1 of 1 measured targets are reached/);
  assert.match(text, /\| B \| ≤ 4 \| – \| not measured: needs 3 processors, there are 2 \|/);
  assert.match(text, /Node 20\.0\.0, 2 processors \(P\)/);
});

test('readOptions refuses to record what is noise', () => {
  assert.throws(() => readOptions(['--record', '--quick']), /Cannot record/);
  assert.equal(readOptions(['--record']).record, true);
  assert.match(readOptions(['--help']).help, /Usage/);
});

test('chooseWorks takes parts of names, whole names before a "$", and refuses what there is not', () => {
  const works = [{ id: 'http-list-1' }, { id: 'http-list-100' }];
  assert.equal(chooseWorks(works, ['list']).length, 2);
  assert.deepEqual(chooseWorks(works, ['http-list-1$']), [works[0]]);
  assert.throws(() => chooseWorks(works, ['nothing']), /there are http-list-1, http-list-100/);
});

test('selfTimes adds up by function and leaves waiting out', () => {
  const frame = (functionName, url = '') => ({ functionName, url, lineNumber: 4 });
  const nodes = [
    { id: 1, callFrame: frame('(idle)') },
    { id: 2, callFrame: frame('parse', 'file:///d/src/a.js') },
    { id: 3, callFrame: frame('writev') },
  ];
  const times = selfTimes({ nodes, samples: [1, 2, 3, 2], timeDeltas: [9000, 1000, 1000, 2000] }, '/d');
  assert.deepEqual(times, [
    { name: 'parse src/a.js:5', ms: 3, share: 0.75 },
    { name: 'writev', ms: 1, share: 0.25 },
  ]);
});
