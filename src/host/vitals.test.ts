import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operationEnded } from '../telemetry/signals.ts';
import { createVitals } from './vitals.ts';

const end = (ms: number, outcome = 'ok', verb = 'ping') =>
  operationEnded.publish({ call: 'c', verb, dialect: 'd', target: undefined, outcome, ms });

test('vitals count operations and errors, and know how long the recent ones took', () => {
  const vitals = createVitals();
  for (let ms = 1; ms <= 100; ms++) end(ms);
  end(1000, 'E_INTERNAL', 'tools.call');
  end(1000, 'failed', 'tools.call');
  end(5, 'asked', 'tools.call');
  const { totalRequests, totalErrors, responseTimeMs, methods, avgResponseTime } = vitals.read();
  assert.deepEqual([totalRequests, totalErrors], [103, 2]);
  assert.deepEqual(responseTimeMs, { p50: 51, p90: 92, p99: 1000, max: 1000, samples: 103 });
  assert.deepEqual(methods, {
    ping: { count: 100, errors: 0, avgMs: 50.5 },
    'tools.call': { count: 3, errors: 2, avgMs: 668.333 },
  });
  assert.equal(avgResponseTime, '68495.15μs');
  vitals.close();
  end(1);
  assert.equal(vitals.read()['totalRequests'], 103);
});

test('vitals of a server nobody has used are zeros, not errors', () => {
  const vitals = createVitals();
  const { totalRequests, responseTimeMs, avgResponseTime } = vitals.read();
  assert.equal(totalRequests, 0);
  assert.deepEqual(responseTimeMs, { p50: 0, p90: 0, p99: 0, max: 0, samples: 0 });
  assert.equal(avgResponseTime, '0.00μs');
  vitals.close();
});

test('vitals keep a bounded number of times', () => {
  const vitals = createVitals();
  for (let n = 0; n < 5000; n++) end(n < 2500 ? 1000 : 1);
  assert.deepEqual(vitals.read()['responseTimeMs'], { p50: 1, p90: 1, p99: 1, max: 1, samples: 2048 });
  vitals.close();
});
