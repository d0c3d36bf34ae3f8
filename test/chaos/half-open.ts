import { httpTalker } from './load/crowd.ts';
import { SessionTalker } from './load/session-talker.ts';

// A client process to be stopped and killed: it opens streams and calls of every kind, says so, and stays.

const [, , url = '', count = '20'] = process.argv;
const talkers = Array.from({ length: Number(count) }, (_, at) =>
  httpTalker(['sse', '2025-03-26', '2025-11-25', '2026-07-28'][at % 4] as string, url, { lossy: true }),
);
await Promise.all(talkers.map(async (talker) => talker.open()));
for (const talker of talkers) {
  if (talker instanceof SessionTalker) void talker.listen();
  void talker.call('flood', { what: 'log', count: 100_000, bytes: 2000 });
  void talker.call('echo', { text: 'x', ms: 20_000, steps: 200 }, { progress: true });
}
setTimeout(() => void process.stdout.write('ready\n'), 50);
