import { PassThrough } from 'node:stream';
import { createHost } from '../../src/host/host.ts';
import { serveStdio } from '../../src/transports/stdio.ts';
import { createFixture } from './fixture.ts';
import { malformed } from './malformed-lines.ts';

// Runs with `--expose-gc`: sends round after round of malformed lines, and prints what came of each and what it left behind.

const { gc } = globalThis as unknown as { gc(): void };
const [count = 0, rounds = 0] = process.argv.slice(2).map(Number);

async function main(): Promise<void> {
  const { server } = createFixture();
  const host = await createHost({ server: server.info, mounts: [{ provider: server }] });
  const input = new PassThrough();
  const output = new PassThrough();
  serveStdio({
    input,
    output,
    limits: host.limits,
    log: host.log,
    converse: (outlet) => host.converse({ outlet, shared: true }),
  });
  let lines = 0;
  output.setEncoding('utf8').on('data', (text: string) => {
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  });
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  const heaps: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const { line } of malformed(count, round)) {
      if (!input.write(Buffer.concat([Buffer.from(line), Buffer.from('\n')])))
        await new Promise((resolve) => input.once('drain', resolve));
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    gc();
    heaps.push(process.memoryUsage().heapUsed);
  }
  console.log(JSON.stringify({ heaps, lines }));
  process.exit(0);
}

await main();
