import { HttpClient } from '../http-client.mjs';

// Whether a call costs more where there is more: of tools, of open sessions, of mounted packs.

const MANY = 16;
const SIZES = [10, 1000, 10_000];
const program = { program: 'parley-http.mjs', stateless: '2026-07-28' };

const variant = (size, wishes) => ({
  id: String(size),
  name: `Parley, ${size.toLocaleString('en')}`,
  http: program,
  ...wishes,
});

async function open(subject, options) {
  const { env = {}, idle = 0 } = subject;
  const limits = JSON.stringify({ sessions: 50_000 });
  const client = await HttpClient.start(subject, { ...options, env: { ...env, BENCH_LIMITS: limits } });
  const openers = client.connect(8);
  const share = Math.ceil(idle / openers.length);
  await Promise.all(
    openers.map(async (opener) => {
      for (let left = share; left > 0; left -= 1) await client.session(opener);
    }),
  );
  const many = await client.sessions(MANY);
  return { client, connections: many.connections, templates: client.calls('echo', many) };
}

const counting = (id, what, wishes) => ({
  id: `by-${id}`,
  title: `HTTP: tools/call in a session with 10, 1,000 and 10,000 ${what}`,
  over: 'http',
  baseline: '10',
  variants: SIZES.map((size) => variant(size, wishes(size))),
  open,
  measure: ({ client, ...stage }, { ms }) => client.flood({ ...stage, ms }),
  close: ({ client }) => client.close(),
});

export const works = [
  counting('tools', 'tools', (size) => ({ env: { BENCH_TOOLS: String(size) } })),
  counting('sessions', 'open sessions', (size) => ({ idle: size })),
  counting('packs', 'mounted packs', (size) => ({ env: { BENCH_MOUNTS: String(size) } })),
];
