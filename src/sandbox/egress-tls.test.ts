import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const scratch = mkdtempSync(join(tmpdir(), 'parley-tls-'));
const [key, cert] = [join(scratch, 'key.pem'), join(scratch, 'cert.pem')];
after(() => rmSync(scratch, { recursive: true }));

const PROGRAM = `
  import { readFileSync } from 'node:fs';
  import { createServer } from 'node:https';
  const [, module, key, cert] = process.argv;
  const { createEgress } = await import(module);
  const heard = [];
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    heard.push(request.headers.host.split(':')[0]);
    response.end('ok');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  const hosts = ['open.example', 'other.example', '127.0.0.1'];
  const egress = createEgress({ allow: hosts, ports: [port], resolve: async () => ['127.0.0.1'] });
  const outcomes = {};
  for (const host of hosts) {
    const asked = egress.request({ url: 'https://' + host + ':' + port + '/', method: 'POST', body: 'secret' });
    outcomes[host] = await asked.then(({ status }) => status, ({ name, message }) => name + ': ' + message);
  }
  server.close();
  console.log(JSON.stringify({ outcomes, heard }));
`;

/** What a process hears and says that trusts these certificates beside the usual ones. */
function ask(trusted: string | undefined): { outcomes: Record<string, unknown>; heard: string[] } {
  const env = { ...process.env, ...(trusted === undefined ? {} : { NODE_EXTRA_CA_CERTS: trusted }) };
  const module = new URL('./egress.js', import.meta.url).href;
  const args = ['--input-type=module', '-e', PROGRAM, module, key, cert];
  const { stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  assert.ok(stdout !== '', stderr);
  return JSON.parse(stdout);
}

function makeCertificate(): boolean {
  const names = 'subjectAltName=DNS:open.example,IP:127.0.0.1';
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const made = ['-keyout', key, '-out', cert, '-days', '2', '-subj', '/CN=open.example', '-addext', names];
  try {
    execFileSync('openssl', ['req', '-x509', ...curve, ...made], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test('a secure request is made to the name it is for, and nothing is said to anybody else', (t) => {
  if (!makeCertificate()) return t.diagnostic('openssl is not here to make a certificate');
  const trusting = ask(cert);
  assert.deepEqual(trusting.heard, ['open.example', '127.0.0.1']);
  assert.equal(trusting.outcomes['open.example'], 200);
  assert.match(String(trusting.outcomes['other.example']), /^EgressError: .*secure connection/);
  const wary = ask(undefined);
  assert.deepEqual(wary.heard, []);
  for (const outcome of Object.values(wary.outcomes))
    assert.match(String(outcome), /^EgressError: .*secure connection/);
});
