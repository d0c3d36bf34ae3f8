import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpClient } from '../http-client.mjs';

// The floor has no guard: the target is what is left of the bare floor with everything on.

const MANY = 64;
const PRINCIPALS = 8;

function tokensIn(folder) {
  const tokens = Array.from({ length: PRINCIPALS }, () => randomBytes(32).toString('base64url'));
  const rows = tokens.map((token, index) => ({
    id: `client-${index}`,
    sha256: createHash('sha256').update(token).digest('hex'),
    scopes: [],
  }));
  writeFileSync(join(folder, 'tokens.json'), JSON.stringify({ tokens: rows }));
  return tokens;
}

async function start(subject, options) {
  if (subject.http.command === undefined) return { client: await HttpClient.start(subject, options) };
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const tokens = tokensIn(folder);
  const guards = ['--auth-tokens', join(folder, 'tokens.json'), '--rate-limit', '1000000/s', '--rate-burst', '1000000'];
  const guarded = { ...subject, http: { ...subject.http, command: [...subject.http.command, ...guards] } };
  const extra = (index) => `authorization: Bearer ${tokens[index % PRINCIPALS]}\r\n`;
  return { client: await HttpClient.start(guarded, { ...options, extra }), folder };
}

async function inSession(subject, options) {
  const stage = await start(subject, options);
  const many = await stage.client.sessions(MANY);
  return { ...stage, connections: many.connections, templates: stage.client.calls('echo', many) };
}

async function alone(subject, options) {
  const stage = await start(subject, options);
  const many = stage.client.alone(MANY);
  const templates = stage.client.calls('echo', many, { modern: true });
  return { ...stage, connections: many.connections, templates };
}

const guarded = {
  over: 'http',
  subjects: ['floor', 'parley'],
  note: 'Parley checks a bearer token, counts against a rate limit of eight principals and keeps metrics; the floor does nothing of it.',
  measure: ({ client, connections, templates }, { ms }) => client.flood({ connections, templates, ms }),
  async close({ client, folder }) {
    await client.close();
    if (folder !== undefined) rmSync(folder, { recursive: true });
  },
};

export const works = [
  { ...guarded, id: 'http-session-guarded', title: 'HTTP: tools/call in a session, guarded', open: inSession },
  { ...guarded, id: 'http-stateless-guarded', title: 'HTTP: tools/call in 2026-07-28, guarded', open: alone },
];
