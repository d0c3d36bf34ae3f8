import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type ReadFamily, readExposition } from '../../test/http/read-exposition.ts';
import * as signals from '../telemetry/signals.ts';
import { exposition } from '../transports/http/exposition.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { Registry } from './registry.ts';

const open: Metrics[] = [];
afterEach(() => {
  for (const metrics of open.splice(0)) metrics.close();
});

function metrics(): () => Map<string, ReadFamily> {
  const made = createMetrics({
    version: '0.1.0',
    listedTool: (name) => (name === 'add' || name === 'mcp__math__add' ? 'add' : undefined),
  });
  open.push(made);
  return () => readExposition(exposition(made.collect()));
}

function ended(changes: Partial<signals.OperationEnded> = {}): void {
  const event = { call: 'c1.1', verb: 'tools.call', dialect: 'mcp/x', target: 'add', outcome: 'ok', ms: 3 };
  signals.operationEnded.publish({ ...event, ...changes });
}

const reading = (families: Map<string, ReadFamily>, name: string, labels: Record<string, string> = {}) =>
  [...families.values()]
    .flatMap(({ samples }) => samples)
    .find((sample) => sample.name === name && Object.entries(labels).every(([key, is]) => sample.labels[key] === is))
    ?.value;

describe('createMetrics', () => {
  it('counts operations by verb, dialect and outcome', () => {
    const read = metrics();
    ended();
    ended();
    ended({ outcome: 'E_BUSY' });
    ended({ verb: 'ping', target: undefined });
    const families = read();
    assert.equal(reading(families, 'parley_operations_total', { verb: 'tools.call', outcome: 'ok' }), 2);
    assert.equal(reading(families, 'parley_operations_total', { outcome: 'E_BUSY' }), 1);
    assert.equal(reading(families, 'parley_operations_total', { verb: 'ping' }), 1);
  });

  it('puts durations in seconds into rising buckets whose last is the count', () => {
    const read = metrics();
    for (const ms of [0.4, 1, 1.1, 70, 400_000]) ended({ ms });
    const families = read();
    const name = 'parley_operation_duration_seconds';
    const buckets = families.get(name)?.samples.filter((sample) => sample.name.endsWith('_bucket')) ?? [];
    const counts = buckets.map(({ value }) => value);
    assert.deepEqual(
      [...counts].sort((a, b) => a - b),
      counts,
    );
    assert.equal(reading(families, `${name}_bucket`, { le: '0.0005' }), 1);
    assert.equal(reading(families, `${name}_bucket`, { le: '0.001' }), 2);
    assert.equal(reading(families, `${name}_bucket`, { le: '0.0025' }), 3);
    assert.equal(reading(families, `${name}_bucket`, { le: '0.1' }), 4);
    assert.equal(reading(families, `${name}_bucket`, { le: '300' }), 4);
    assert.equal(reading(families, `${name}_bucket`, { le: '+Inf' }), 5);
    assert.equal(reading(families, `${name}_count`), 5);
    assert.ok(Math.abs((reading(families, `${name}_sum`) ?? 0) - 400.0725) < 1e-9);
  });

  it('takes tool names only from the catalog, however many a client makes up', () => {
    const read = metrics();
    ended({ target: 'mcp__math__add' });
    for (let index = 0; index < 5000; index++) ended({ target: `made_up_${index}`, outcome: 'E_UNKNOWN_TOOL' });
    const families = read();
    assert.equal(families.get('parley_tool_calls_total')?.samples.length, 2);
    assert.equal(reading(families, 'parley_tool_calls_total', { tool: 'add' }), 1);
    assert.equal(reading(families, 'parley_tool_calls_total', { tool: 'other' }), 5000);
  });

  it('follows what is open', () => {
    const read = metrics();
    signals.sessionOpened.publish({ dialect: 'mcp/x' });
    signals.sessionOpened.publish({ dialect: 'mcp/x' });
    signals.sessionEnded.publish({ dialect: 'mcp/x', reason: 'expired' });
    signals.streamOpened.publish({ kind: 'session' });
    signals.streamOpened.publish({ kind: 'legacy' });
    signals.streamClosed.publish({ kind: 'legacy', ms: 5 });
    signals.conversationOpened.publish({ conversation: 'c1' });
    const families = read();
    assert.equal(reading(families, 'parley_sessions'), 1);
    assert.equal(reading(families, 'parley_sessions_ended_total', { reason: 'expired' }), 1);
    assert.equal(reading(families, 'parley_streams', { kind: 'session' }), 1);
    assert.equal(reading(families, 'parley_streams', { kind: 'legacy' }), 0);
    assert.equal(reading(families, 'parley_conversations_total'), 1);
  });

  it('says zero before anything happened', () => {
    const families = metrics()();
    assert.equal(reading(families, 'parley_sessions'), 0);
    assert.equal(reading(families, 'parley_conversations_total'), 0);
  });

  it('reads the process', async () => {
    const read = metrics();
    await wait(60);
    const families = read();
    const start = reading(families, 'process_start_time_seconds') ?? 0;
    assert.ok(Math.abs(start - (Date.now() / 1000 - process.uptime())) < 5);
    assert.ok((reading(families, 'process_cpu_seconds_total') ?? 0) > 0);
    assert.ok((reading(families, 'process_resident_memory_bytes') ?? 0) > 10_000_000);
    assert.equal(reading(families, 'parley_build_info', { version: '0.1.0', node: process.versions.node }), 1);
  });

  it('notices an event loop that stands still, and forgets it at the next reading', async () => {
    const read = metrics();
    read();
    await wait(60);
    const until = performance.now() + 300;
    while (performance.now() < until);
    await wait(60);
    const late = reading(read(), 'nodejs_eventloop_delay_p99_seconds') ?? 0;
    assert.ok(late > 0.2 && late < 3, `${late}`);
    await wait(60);
    assert.ok((reading(read(), 'nodejs_eventloop_delay_p99_seconds') ?? 1) < late);
  });

  it('hears nothing any more once it is closed', () => {
    const read = metrics();
    ended();
    for (const made of open.splice(0)) made.close();
    ended();
    assert.equal(reading(read(), 'parley_operations_total'), 1);
    assert.ok(Object.values(signals).every(({ heard }) => !heard));
  });
});

describe('Registry', () => {
  it('lets series grow up to the limit and counts the rest as "other"', () => {
    const registry = new Registry();
    const counter = registry.counter({ name: 'n_total', help: 'N', labels: ['a', 'b'], limit: 3 });
    for (let index = 0; index < 10; index++) counter.add(1, `a${index}`, `b${index}`);
    const [family] = registry.collect();
    assert.equal(family?.samples.length, 4);
    assert.deepEqual(family?.samples.at(-1), {
      name: 'n_total',
      labels: [
        ['a', 'other'],
        ['b', 'other'],
      ],
      value: 7,
    });
  });

  it('joins what is over the limit with what is called "other" anyway', () => {
    const registry = new Registry();
    const counter = registry.counter({ name: 'n_total', help: 'N', labels: ['a'], limit: 1 });
    counter.add(1, 'other');
    counter.add(1, 'more');
    assert.deepEqual(registry.collect()[0]?.samples, [{ name: 'n_total', labels: [['a', 'other']], value: 2 }]);
  });

  for (const values of [[], ['x'], ['x', 'y', 'z']]) {
    it(`refuses ${values.length} values for two labels`, () => {
      const counter = new Registry().counter({ name: 'n_total', help: 'N', labels: ['a', 'b'] });
      counter.add(1, 'x', 'y');
      assert.throws(() => counter.add(1, ...values), TypeError);
    });
  }

  it('sets a gauge and keeps series apart', () => {
    const registry = new Registry();
    const gauge = registry.gauge({ name: 'g', help: 'G', labels: ['a'] });
    gauge.set(5, 'x');
    gauge.set(2, 'x');
    gauge.add(-3, 'y');
    assert.deepEqual(
      registry.collect()[0]?.samples.map(({ value }) => value),
      [2, -3],
    );
  });
});
