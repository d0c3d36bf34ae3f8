import { PassThrough } from 'node:stream';
import type { Host } from '../../src/host/host.ts';
import { serveStdio } from '../../src/transports/stdio.ts';
import type { RevisionId } from '../scenarios/revisions.ts';
import { claim } from './messages.ts';
import { type Heard, hear } from './oracle/answers.ts';
import { keyOf } from './oracle/due.ts';
import type { Tongue } from './oracle/ground.ts';
import { expect, shown } from './target.ts';

// One talk over the real byte path of stdio: opened well, with a good request after every line, closed by the client.

/** What came back, sorted by the good answers it stands between. */
export interface Talk {
  readonly gaps: readonly (readonly Heard[])[];
}

/** Where a stream of bytes is cut into chunks. */
export type Cutter = (bytes: Buffer) => Iterable<Buffer>;

/** Sends every line with a good request behind it, and gives what was heard in between. */
export async function talk(
  host: Host,
  tongue: Tongue,
  { lines, cut }: { lines: readonly Buffer[]; cut: Cutter },
): Promise<Talk> {
  const parts: Buffer[] = [];
  for (const [at, line] of [opening(tongue), ...lines].entries()) parts.push(line, NEWLINE, good(tongue, at), NEWLINE);
  const said = await exchange(host, cut(Buffer.concat(parts)));
  return { gaps: sorted(said, tongue, lines.length) };
}

const NEWLINE = Buffer.from('\n');
const clientInfo = { name: 'fuzz', version: '1' };

/** The first line of a talk, answered or not; the good request after it shows that it worked. */
function opening(tongue: Tongue): Buffer {
  if (tongue === 'bare' || tongue === 'action' || tongue === '2026-07-28') return good(tongue, -1);
  return handshake(tongue);
}

/** The line that opens a handshake revision. */
export function handshake(tongue: RevisionId): Buffer {
  const params = { protocolVersion: tongue, capabilities: {}, clientInfo };
  return text({ jsonrpc: '2.0', id: goodId(-1), method: 'initialize', params });
}

/** A request that is answered at once, and how is known. */
export function good(tongue: Tongue, at: number): Buffer {
  const id = goodId(at);
  if (tongue === 'action') return text({ id, type: 'invoke', payload: { action: 'echo', input: { text: id } } });
  if (tongue !== '2026-07-28') return text({ jsonrpc: '2.0', id, method: 'ping' });
  const params = { name: 'echo', arguments: { text: id }, _meta: claim() };
  return text({ jsonrpc: '2.0', id, method: 'tools/call', params });
}

function text(message: object): Buffer {
  return Buffer.from(JSON.stringify(message));
}

function goodId(at: number): string {
  return `good ${at}`;
}

/** Serves the bytes to their end and gives every line that came back. */
export async function exchange(host: Host, chunks: Iterable<Buffer>): Promise<readonly string[]> {
  const input = new PassThrough({ highWaterMark: 1 << 20 });
  const output = new PassThrough({ highWaterMark: 1 << 22 });
  const heard: Buffer[] = [];
  output.on('data', (chunk: Buffer) => heard.push(chunk));
  const failures: unknown[] = [];
  const server = serveStdio({
    input,
    output,
    limits: host.limits,
    log: (severity, message, fields) => {
      if (severity === 'error') failures.push(message, fields);
    },
    converse: (outlet) => host.converse({ outlet, shared: true }),
  });
  for (const chunk of chunks) input.write(chunk);
  input.end();
  await server.closed;
  output.end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(
    failures.length === 0,
    () => `a conversation failed: ${String((failures[1] as { error?: Error })?.error?.stack)}`,
  );
  return linesOf(Buffer.concat(heard));
}

const STRICT = new TextDecoder('utf-8', { fatal: true });

function linesOf(bytes: Buffer): string[] {
  if (bytes.length === 0) return [];
  const lines = STRICT.decode(bytes).split('\n');
  const rest = lines.pop();
  expect(rest === '', () => `half a line was left behind: ${shown(rest)}`);
  return lines;
}

/** What came after the good answer before a line and before the one after it; the last gap holds what came late. */
function sorted(said: readonly string[], tongue: Tongue, count: number): Heard[][] {
  const gaps: Heard[][] = Array.from({ length: count + 1 }, () => []);
  let at = -1;
  for (const line of said) {
    const heard = hear(line);
    const key = goodKey(heard, tongue);
    if (key === undefined || !key.startsWith('"good ')) {
      gaps[at]?.push(heard);
      expect(at >= 0, () => `something was said before it was due: ${shown(line)}`);
      continue;
    }
    if (key === '"good -1') continue;
    expect(key === `"good ${at + 1}`, () => `a good answer is out of order, after ${at}: ${shown(line)}`);
    expect(isGood(line, tongue, at + 1), () => `a good request was answered badly: ${shown(line)}`);
    at += 1;
  }
  expect(at === count, () => `${count - at} good requests were not answered, from number ${at + 1} on`);
  return gaps;
}

function goodKey(heard: Heard, tongue: Tongue): string | undefined {
  if (heard.kind === 'named') return heard.key;
  return tongue === 'action' && heard.kind === 'action' && heard.id !== undefined ? keyOf(heard.id) : undefined;
}

function isGood(line: string, tongue: Tongue, at: number): boolean {
  const { result, data, ok } = JSON.parse(line) as Record<string, unknown>;
  const id = goodId(at);
  if (tongue === 'action') return ok === true && JSON.stringify(data).includes(JSON.stringify(id));
  if (tongue !== '2026-07-28') return JSON.stringify(result) === '{}';
  return JSON.stringify(result).includes(`"text":${JSON.stringify(id)}`);
}
