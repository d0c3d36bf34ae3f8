import { Socket } from 'node:net';
import { type Line, LineReader, Overlong } from '../../rpc/lines.ts';
import { CHANNEL_FD, endGroup, watchOver } from '../../sandbox/watch.ts';
import { loadPackageModule } from '../package-modules.ts';
import { CellWork } from './cell-work.ts';
import { createFinder, describeModule } from './describe.ts';
import { markIsolated } from './mark.ts';
import type { CellStart, FromCell, ToCell } from './messages.ts';
import { troubleOf } from './trouble.ts';

// The program inside a cell. It speaks with the server on a descriptor of its own; what the module prints is no message.

/** The server is trusted: this only keeps the reader's arithmetic sane. */
const LONGEST_LINE = 1024 * 1024 * 1024;

const exit: (code: number) => never = process.exit.bind(process);
const owner = process.ppid;
const channel = new Socket({ fd: CHANNEL_FD, readable: true, writable: true });
const reader = new LineReader(LONGEST_LINE);
let work: CellWork | undefined;

function send(message: FromCell): void {
  channel.write(`${JSON.stringify(message)}\n`);
}

async function begin(start: CellStart): Promise<void> {
  markIsolated();
  const renew = watchOver({ memoryBytes: start.memoryBytes, cpuMs: start.cpuMs, owner: start.owner });
  work = new CellWork({ ...start, renew, exit, send });
  try {
    const { provider } = await loadPackageModule(start.file);
    const described = await describeModule(provider);
    work.open(createFinder(provider));
    send({ kind: 'ready', described });
  } catch (error) {
    send({ kind: 'unready', trouble: troubleOf(error) });
    channel.end(() => exit(1));
  }
}

function take(line: Line | Overlong): void {
  if (line instanceof Overlong) exit(1);
  const message = JSON.parse(String(line)) as ToCell;
  if (message.kind === 'start') void begin(message);
  else work?.take(message);
}

channel.on('data', (chunk: Buffer) => {
  reader.push(chunk);
  for (let line = reader.next(); line !== undefined; line = reader.next()) take(line);
});
channel.on('error', () => {});
channel.on('close', () => {
  if (process.ppid === owner) exit(0);
  else endGroup();
});
