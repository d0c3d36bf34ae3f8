import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  conversationOpened,
  type OperationEnded,
  operationEnded,
  sessionEnded,
  sessionOpened,
  streamClosed,
  streamOpened,
} from '../telemetry/signals.ts';
import type { Family } from '../transports/http/exposition.ts';
import { Registry } from './registry.ts';

export interface MetricsOptions {
  readonly version: string;
  /** The listed name of a tool the catalog has, whichever of its names the client used. */
  listedTool(name: string): string | undefined;
}

/** What was counted since the start, until it is closed. Counts the whole process, whichever host did the work. */
export interface Metrics {
  collect(): readonly Family[];
  close(): void;
}

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const DELAY_RESOLUTION_MS = 20;

/** Starts to listen and to count. */
export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  const stops = [
    countOperations(registry, options),
    countStreams(registry),
    countSessions(registry),
    readProcess(registry, options.version),
  ];
  return {
    collect: () => registry.collect(),
    close() {
      for (const stop of stops) stop();
    },
  };
}

function countOperations(registry: Registry, { listedTool }: MetricsOptions): () => void {
  const total = registry.counter({
    name: 'parley_operations_total',
    help: 'Operations answered, by outcome',
    labels: ['verb', 'dialect', 'outcome'],
  });
  const duration = registry.histogram(
    {
      name: 'parley_operation_duration_seconds',
      help: 'Time from an operation to its answer, questions to the client included',
      labels: ['verb', 'dialect'],
    },
    SECONDS,
  );
  const calls = registry.counter({
    name: 'parley_tool_calls_total',
    help: 'Tool calls answered; the tool is "other" when no such tool is listed',
    labels: ['tool', 'outcome'],
  });
  return operationEnded.listen(({ verb, dialect, outcome, ms, target }: OperationEnded) => {
    total.add(1, verb, dialect, outcome);
    duration.observe(ms / 1000, verb, dialect);
    if (verb === 'tools.call') calls.add(1, listedTool(target ?? '') ?? 'other', outcome);
  });
}

function countStreams(registry: Registry): () => void {
  const open = registry.gauge({ name: 'parley_streams', help: 'Event streams open now', labels: ['kind'] });
  return both(
    streamOpened.listen(({ kind }) => open.add(1, kind)),
    streamClosed.listen(({ kind }) => open.add(-1, kind)),
  );
}

function countSessions(registry: Registry): () => void {
  const open = registry.gauge({ name: 'parley_sessions', help: 'Sessions open now' });
  const ended = registry.counter({
    name: 'parley_sessions_ended_total',
    help: 'Sessions that ended, by reason',
    labels: ['reason'],
  });
  const conversations = registry.counter({ name: 'parley_conversations_total', help: 'Conversations opened' });
  return both(
    conversationOpened.listen(() => conversations.add(1)),
    both(
      sessionOpened.listen(() => open.add(1)),
      sessionEnded.listen(({ reason }) => {
        open.add(-1);
        ended.add(1, reason);
      }),
    ),
  );
}

function readProcess(registry: Registry, version: string): () => void {
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delay.enable();
  registry
    .gauge({ name: 'parley_build_info', help: 'Which version runs on which Node', labels: ['version', 'node'] })
    .set(1, version, process.versions.node);
  registry.read('gauge', { name: 'process_start_time_seconds', help: 'When the process started, in Unix time' }, () =>
    Math.round(performance.timeOrigin / 1000),
  );
  registry.read('counter', { name: 'process_cpu_seconds_total', help: 'CPU time used' }, () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  registry.read('gauge', { name: 'process_resident_memory_bytes', help: 'Memory held' }, process.memoryUsage.rss);
  registry.read(
    'gauge',
    { name: 'nodejs_eventloop_delay_p99_seconds', help: 'How late the event loop was since the last reading' },
    () => {
      // The monitor counts the time between two of its own ticks, so its resolution is part of every reading.
      const late = delay.count === 0 ? 0 : Math.max(0, delay.percentile(99) / 1e9 - DELAY_RESOLUTION_MS / 1000);
      delay.reset();
      return late;
    },
  );
  return () => void delay.disable();
}

function both(one: () => void, other: () => void): () => void {
  return () => {
    one();
    other();
  };
}
