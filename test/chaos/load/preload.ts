// Runs inside a server under test before anything else: shrinks limits, opens a probe, and can move the clock.
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { LIMITS, type LimitName } from '../../../src/model/limits.ts';
import { descriptorsOf, probePath } from './process-facts.ts';

const now = Date.now;
let shift = 0;

class ShiftedDate extends Date {
  constructor(...given: [] | ConstructorParameters<typeof Date>) {
    if (given.length === 0) super(now() + shift);
    else super(...given);
  }

  static override now(): number {
    return now() + shift;
  }
}

function shrink(limits: Partial<Record<LimitName, number>>): void {
  for (const [name, value] of Object.entries(limits))
    (LIMITS[name as LimitName] as { default: number }).default = value;
}

let collector: (() => void) | undefined;

/** Made once: each making costs a context of some megabytes, which would be measured too. */
function collect(): void {
  if (collector === undefined) {
    setFlagsFromString('--expose-gc');
    collector = runInNewContext('gc') as () => void;
  }
  collector();
}

function vital(): string {
  for (let round = 0; round < 3; round += 1) collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  return JSON.stringify({
    heap: heapUsed,
    external,
    rss,
    // Without the descriptor that reads the folder.
    descriptors: descriptorsOf('self') - 1,
    resources,
  });
}

function answer(command: string): string {
  const [word, value] = command.split(' ');
  if (word === 'vital') return vital();
  if (word === 'shift') {
    shift = Number(value);
    globalThis.Date = ShiftedDate as DateConstructor;
    return 'ok';
  }
  return `unknown: ${command}`;
}

function openProbe(): void {
  const path = probePath(process.pid);
  rmSync(path, { force: true });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', () => {});
    socket.on('end', () => socket.end(answer(text)));
  });
  server.listen(path).unref();
  process.on('exit', () => rmSync(path, { force: true }));
}

if (isMainThread) {
  shrink(JSON.parse(process.env['CHAOS_LIMITS'] ?? '{}') as Partial<Record<LimitName, number>>);
  openProbe();
}
