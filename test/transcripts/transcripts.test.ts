import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { citationsIn, readCitation } from './citation.ts';
import { clausesIn, fillClauses, PAGES } from './clauses.ts';
import { matches, merge } from './match.ts';
import { looseEnds, playSeed, readSeeds, type Seed } from './seeds.ts';
import { dueIn, formatTranscript, parseTranscript } from './transcript.ts';

const rewrite = process.env['REWRITE_TRANSCRIPTS'] === '1';

for (const seed of readSeeds()) {
  describe(`seed ${seed.name}`, { concurrency: 2 }, () => {
    test('covers no rule its document does not have', () => {
      assert.deepEqual(looseEnds(seed).unknown, []);
    });
    test('has a page that says where every rule is shown, if it says so of any', () => {
      const page = join(PAGES, `${seed.preset}.md`);
      const text = existsSync(page) ? readFileSync(page, 'utf8') : '';
      if (!clausesIn(text)) return;
      const filled = fillClauses(text, seed);
      if (rewrite) writeFileSync(page, filled);
      else assert.equal(text, filled, 'REWRITE_TRANSCRIPTS=1 writes the table');
    });
    for (const { path, transcript } of seed.transcripts) {
      for (const way of transcript.over) {
        test(`${basename(path, '.transcript')} over ${way}: ${transcript.intent}`, async () => {
          const differences = await playSeed(seed, path, { way, rewrite });
          if (!rewrite) assert.deepEqual(differences.join('\n\n'), '');
        });
      }
    }
  });
}

describe('a transcript', () => {
  const text = `# Says a thing.
covers: a, b
over: stdio, http
env: A=b=c

> {"id":1}
< {"id":1}

> POST /x
> accept: text/plain
> |raw
< 200
< content-type: text/plain
< |raw
`;

  test('is read and written back as it is', () => {
    const transcript = parseTranscript(text);
    assert.deepEqual(transcript.covers, ['a', 'b']);
    assert.deepEqual(transcript.env, { A: 'b=c' });
    assert.deepEqual(
      transcript.turns.map(({ says, hears }) => [says.length, hears.length]),
      [
        [1, 1],
        [3, 3],
      ],
    );
    assert.equal(formatTranscript(transcript), text);
  });

  test('may wait for an answer, and keep to a session', () => {
    const held = '# Waits.\nover: http\nsession: kept\n\n> {"id":1,"method":"a"}\n<\n\n> {"method":"b"}\n< {"id":1}\n';
    const transcript = parseTranscript(held);
    assert.equal(transcript.session, true);
    assert.deepEqual(transcript.turns.map(dueIn), [0, 1]);
    assert.equal(formatTranscript(transcript), held);
  });

  test('owes one line to a request nobody wrote an answer for, and none to notices and responses', () => {
    const due = (says: string) => dueIn({ says: [says], hears: [] });
    for (const said of ['{"id":1,"method":"a"}', '{"id":null,"method":"a"}', '{"id":1}', '|{', '[]', '7'])
      assert.equal(due(said), 1, said);
    for (const said of ['{"method":"a"}', '{"id":1,"result":{}}', '{"error":{}}']) assert.equal(due(said), 0, said);
  });

  test('without intent, way or turns is refused', () => {
    for (const bad of [
      '',
      '# x.\nover: stdio\n',
      'over: stdio\n\n> {}',
      '# x.\n\n> {}',
      '# x.\nover: mail\n\n> {}',
      '# x.\nover: stdio\n\n> {}\n? {}',
    ]) {
      assert.throws(() => parseTranscript(bad), TypeError, bad);
    }
  });

  test('matches values, order and placeholders, and learns names', () => {
    const known = new Map();
    assert.ok(matches('{"a":"{{number}}","b":"x{{any}}"}', '{"a":7,"b":"xyz"}', known));
    assert.ok(matches('{"a":"{{id}}"}', '{"a":"seven"}', known));
    assert.ok(matches('{"a":"is {{id}}"}', '{"a":"is seven"}', known));
    assert.ok(!matches('{"a":"{{id}}"}', '{"a":"eight"}', known));
    for (const [expected, actual] of [
      ['{"a":1}', '{"a":2}'],
      ['{"a":1}', '{"a":1,"b":2}'],
      ['{"a":1,"b":2}', '{"b":2,"a":1}'],
      ['{"a":"{{number}}"}', '{"a":"seven"}'],
      ['[1]', '{"0":1}'],
      ['{"a":"{{time}}"}', '{"a":"now"}'],
      ['a.c', 'abc'],
    ] as const)
      assert.ok(!matches(expected, actual, known), expected);
  });

  test('keeps its placeholders when it is rewritten', () => {
    const said = '{"a":8,"b":{"c":"new"},"d":[1,2]}';
    assert.equal(
      merge('{"a":"{{number}}","b":{"c":"old"},"d":["{{any}}"]}', said, new Map()),
      '{"a":"{{number}}","b":{"c":"new"},"d":["{{any}}",2]}',
    );
  });
});

describe('a citation', () => {
  test('names rules and ways, and nothing else will do', () => {
    assert.deepEqual(readCitation('C19, a-b over stdio, http'), { covers: ['C19', 'a-b'], over: ['stdio', 'http'] });
    for (const bad of ['', 'C19', 'C19 over', 'C19 over mail', 'C19 C20 over stdio', 'over stdio'])
      assert.throws(() => readCitation(bad), TypeError, bad);
    assert.equal(citationsIn("rule('A over stdio', 'x', y);\n  rule(\n'B over http','z',").length, 2);
  });

  test('covers a rule only over the ways it names', () => {
    const rules = { a: { says: 'a', over: ['stdio', 'http'] as const }, b: { says: 'b' }, c: { says: 'c' } };
    const tests = [{ path: 'x', cites: [readCitation('a, b, d over stdio')] }];
    const seed: Seed = { name: 'x', folder: '', preset: 'x', rules, transcripts: [], tests };
    assert.deepEqual(looseEnds(seed), { uncovered: ['a over http', 'c'], unknown: ['d'] });
  });
});
