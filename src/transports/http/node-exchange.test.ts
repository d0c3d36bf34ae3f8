import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitsWith } from '../../model/limits.ts';
import { silent } from '../../model/log.ts';
import { Framed, KeptText } from '../../rpc/framed.ts';
import type { Handler } from './exchange.ts';
import { listen } from './server.ts';

async function ask(handler: Handler, look: (url: string) => Promise<void>): Promise<void> {
  const limits = limitsWith({ drainMs: 100 });
  const server = await listen({ handler, host: '127.0.0.1', port: 0, limits, log: silent });
  try {
    await look(server.url);
  } finally {
    await server.close();
  }
}

for (const [what, text] of [
  ['ASCII', 'm'.repeat(1_000_000)],
  ['more than ASCII', 'ü✓👋'.repeat(100_000)],
] as const) {
  test(`A framed body of ${what} arrives whole and with its length, kept or not, time after time`, async () => {
    for (const middle of [text, new KeptText(text)]) {
      const body = new Framed({ head: '{"ä":"', tail: '"}' }, middle);
      await ask(
        (exchange) => exchange.reply(200, body, { 'x-own': 'yes' }),
        async (url) => {
          for (let round = 0; round < 3; round += 1) {
            const response = await fetch(url);
            const said = Buffer.from(await response.arrayBuffer());
            assert.equal(said.equals(Buffer.from(`{"ä":"${text}"}`)), true);
            assert.equal(response.headers.get('content-length'), String(said.length));
            assert.deepEqual(
              [response.headers.get('content-type'), response.headers.get('x-own')],
              ['application/json', 'yes'],
            );
          }
        },
      );
    }
  });
}

test('The head of a stream reaches its reader before anything is said on it', async () => {
  await ask(
    (exchange) => {
      exchange.stream();
    },
    async (url) => {
      const abandon = new AbortController();
      const response = await fetch(url, { signal: abandon.signal });
      assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/event-stream']);
      abandon.abort();
    },
  );
});
