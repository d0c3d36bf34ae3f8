import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { describe, test } from 'node:test';
import { matches, merge } from './match.ts';
import { looseEnds, playSeed, readSeeds } from './seeds.ts';
import { formatTranscript, parseTranscript } from './transcript.ts';

const rewrite = process.env['REWRITE_TRANSCRIPTS'] === '1';

for (const seed of readSeeds()) {
  describe(`seed ${seed.name}`, { concurrency: 2 }, () => {
    test('covers no rule its document does not have', () => {
      assert.deepEqual(looseEnds(seed).unknown, []);
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
