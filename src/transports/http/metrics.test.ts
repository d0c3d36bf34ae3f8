import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { exchanged } from '../../../test/http/fake-exchange.ts';
import { readExposition } from '../../../test/http/read-exposition.ts';
import { exposition, type Family } from './exposition.ts';
import { createMetricsPage } from './metrics.ts';

const counter = (value: number, label = 'x', help = 'Some help'): Family => ({
  name: 'demo_total',
  help,
  type: 'counter',
  samples: [{ name: 'demo_total', labels: [['label', label]], value }],
});

describe('exposition', () => {
  it('writes help, type and samples, a line each', () => {
    assert.equal(
      exposition([
        counter(3),
        { name: 'up', help: 'Up', type: 'gauge', samples: [{ name: 'up', labels: [], value: 1 }] },
      ]),
      '# HELP demo_total Some help\n# TYPE demo_total counter\ndemo_total{label="x"} 3\n# HELP up Up\n# TYPE up gauge\nup 1\n',
    );
  });

  for (const [value, text] of [
    [Number.POSITIVE_INFINITY, '+Inf'],
    [Number.NEGATIVE_INFINITY, '-Inf'],
    [Number.NaN, 'NaN'],
    [1e21, '1e+21'],
    [0.0005, '0.0005'],
  ] as const) {
    it(`writes ${value} as ${text}`, () => {
      assert.ok(exposition([counter(value)]).endsWith(` ${text}\n`));
    });
  }

  it('gives back any label and any help as it was', () => {
    const text = fc.string({ unit: fc.constantFrom('\\', '"', '\n', 'n', '{', '}', ',', '=', ' ', '#', 'é') });
    fc.assert(
      fc.property(text, text, (label, help) => {
        const family = readExposition(exposition([counter(1, label, help)])).get('demo_total');
        assert.equal(family?.samples[0]?.labels['label'], label);
        assert.equal(family?.help, help);
      }),
    );
  });
});

describe('createMetricsPage', () => {
  it('collects at every scrape and names the format', async () => {
    let scrapes = 0;
    const handler = createMetricsPage({ collect: () => [counter(++scrapes)] });
    await exchanged(handler);
    const { status, text, sent } = await exchanged(handler);
    assert.equal(status, 200);
    assert.match(text ?? '', / 2\n$/);
    assert.equal(sent['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  });

  it('collects nothing for a method it refuses', async () => {
    let scrapes = 0;
    const handler = createMetricsPage({ collect: () => [counter(++scrapes)] });
    assert.equal((await exchanged(handler, { method: 'POST' })).status, 405);
    assert.equal(scrapes, 0);
  });
});
