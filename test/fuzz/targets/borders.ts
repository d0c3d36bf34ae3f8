import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPublic } from '../../../src/sandbox/addresses.ts';
import { createEgress, type Egress } from '../../../src/sandbox/egress.ts';
import { EgressError } from '../../../src/sandbox/egress-rules.ts';
import { PathError } from '../../../src/sandbox/path-trouble.ts';
import { createRoot, type Root } from '../../../src/sandbox/roots.ts';
import { guarded } from '../../../src/transports/http/guard.ts';
import { FakeExchange } from '../../http/fake-exchange.ts';
import type { Random } from '../random.ts';
import { oddWords, valueTarget } from '../simple.ts';
import { expect, type OpenTarget, shown, type Target } from '../target.ts';

// The borders of the house: files, addresses, and the names a browser may be tricked into using.

const INSIDE = 'inside';
const OUTSIDE = 'outside';
const PATHS = [
  'a.txt',
  'sub/',
  'b.txt',
  '../',
  '..',
  './',
  '/',
  '//',
  'link',
  'up/',
  'loop',
  'outside/',
  'secret.txt',
  'sub/../',
  '....//',
  '..\\',
  '%2e%2e/',
  '/etc/passwd',
  '/proc/self/root/',
  '\0',
  'root2/',
  '.',
];

class PathTarget implements OpenTarget {
  readonly #folder: string;
  readonly #roots: readonly Root[];

  constructor(folder: string, roots: readonly Root[]) {
    this.#folder = folder;
    this.#roots = roots;
  }

  generate(random: Random): Buffer {
    return Buffer.from(
      JSON.stringify(random.many(PATHS, 1 + random.small(6)).join('') + (random.once(4) ? oddWords(random) : '')),
    );
  }

  async check(input: Buffer): Promise<void> {
    let path: unknown;
    try {
      path = JSON.parse(input.toString('utf8'));
    } catch {
      return;
    }
    if (typeof path !== 'string') return;
    for (const root of this.#roots) await checkPath(root, path);
  }

  close(): void {
    rmSync(this.#folder, { recursive: true });
  }
}

async function checkPath(root: Root, path: string): Promise<void> {
  try {
    const file = await root.openFile(path);
    const text = await file.readFile('utf8');
    await file.close();
    expect(text === INSIDE, () => `${shown(path)} leads to ${shown(text)}`);
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    expect(!error.message.includes(root.path), () => `the message tells where: ${error.message}`);
  }
  try {
    const names = await root.withDirectory(path, async (held) => realpathSync(held.path));
    expect(names === root.path || names.startsWith(`${root.path}/`), () => `${shown(path)} leads to ${names}`);
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
  }
}

const paths: Target = {
  name: 'paths',
  says: 'paths below a root: dots, links, NUL, siblings, absolute; never anything outside',
  async open() {
    const folder = mkdtempSync(join(realpathSync(tmpdir()), 'parley-fuzz-'));
    const root = join(folder, 'root');
    for (const name of ['root/sub', 'root2', 'outside']) mkdirSync(join(folder, name), { recursive: true });
    for (const name of ['root/a.txt', 'root/sub/b.txt', 'root/....', 'root/..\\'])
      writeFileSync(join(folder, name), INSIDE);
    for (const name of ['outside/secret.txt', 'root2/a.txt', 'secret.txt']) writeFileSync(join(folder, name), OUTSIDE);
    symlinkSync('../outside/secret.txt', join(root, 'link'));
    symlinkSync('../outside', join(root, 'up'));
    symlinkSync('loop', join(root, 'loop'));
    symlinkSync('a.txt', join(root, 'sub', 'good'));
    return new PathTarget(folder, [
      await createRoot(root, { method: 'walk' }),
      await createRoot(root, { method: 'recheck' }),
    ]);
  },
};

const HOSTS = [
  '127.0.0.1',
  '0x7f.1',
  '2130706433',
  '017700000001',
  '127.1',
  '0',
  '0.0.0.0',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[fe80::1%25lo]',
  '[::]',
  'localhost',
  'localhost.',
  'LOCALHOST',
  '10.0.0.1',
  '169.254.169.254',
  '192.168.1.1',
  '[fc00::1]',
  '[fec0::1]',
  '1.1.1.1@127.0.0.1',
  '127.0.0.1#@example.org',
  'a.example',
  '127。0。0。1',
  '①②⑦.0.0.1',
  '127.0.0.1%00.example.org',
  '[::127.0.0.1]',
  '100.64.0.1',
  '198.18.0.1',
];
const ANSWERS = [
  ['127.0.0.1'],
  ['::1'],
  ['93.184.216.34', '127.0.0.1'],
  ['::ffff:127.0.0.1'],
  ['10.1.2.3'],
  ['0.0.0.0'],
  ['fe80::1'],
  ['64:ff9b::7f00:1'],
  ['not an address'],
  [],
];

class EgressTarget implements OpenTarget {
  readonly #listener: Server;
  readonly #port: number;
  readonly #egress: Egress;
  #connections = 0;
  #asked = 0;

  constructor(listener: Server, port: number) {
    this.#listener = listener;
    this.#port = port;
    listener.on('connection', (socket) => {
      this.#connections += 1;
      socket.destroy();
    });
    const resolve = async (): Promise<readonly string[]> => ANSWERS[this.#asked++ % ANSWERS.length] ?? [];
    this.#egress = createEgress({ ports: [port, 80, 443], resolve, limits: { deadlineMs: 500 } });
  }

  generate(random: Random): Buffer {
    const scheme = random.pick(['http:', 'https:', 'HTTP:', 'file:', 'ftp:', 'gopher:', 'javascript:', 'data:', '']);
    const slashes = random.pick(['//', '//', '//', '/', '\\\\', '///', '']);
    const host = random.once(6) ? oddWords(random, HOSTS, 4) : random.pick(HOSTS);
    const port = random.pick([`:${this.#port}`, `:${this.#port}`, '', ':22', ':0', ':99999', `:0${this.#port}`]);
    return Buffer.from(JSON.stringify(`${scheme}${slashes}${host}${port}/${oddWords(random, [], 3)}`));
  }

  async check(input: Buffer): Promise<void> {
    let url: unknown;
    try {
      url = JSON.parse(input.toString('utf8'));
    } catch {
      return;
    }
    if (typeof url !== 'string' || leadsOut(url)) return;
    const before = this.#connections;
    try {
      const { status } = await this.#egress.request({ url });
      expect(false, () => `${shown(url)} was answered with ${status}`);
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
    }
    expect(this.#connections === before, () => `${shown(url)} made a connection to this machine`);
  }

  async close(): Promise<void> {
    this.#listener.close();
    await once(this.#listener, 'close');
  }
}

/** An address of the public internet, which is not for a test to call. */
function leadsOut(text: string): boolean {
  if (!URL.canParse(text)) return false;
  return isPublic(new URL(text).hostname.replace(/^\[|\]$/g, ''));
}

const egress: Target = {
  name: 'egress',
  says: 'URLs that lead home by a trick: odd spellings, users, ports, names; never a connection',
  async open() {
    const listener = createServer();
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new EgressTarget(listener, (listener.address() as { port: number }).port);
  },
};

const NAMES = [
  'localhost',
  '127.0.0.1',
  '[::1]',
  ':8808',
  'evil.example',
  '@',
  '.',
  'http://',
  'https://',
  'null',
  ',',
  ' ',
  '/',
  '#',
  '?',
  '\\',
  '*',
  'LOCALHOST',
  '[::ffff:127.0.0.1]',
  'file://',
  '%00',
];
const OWN = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;
const PAGE = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

const guard = valueTarget<{ host?: string; origin?: string; method: string }>({
  name: 'host-origin',
  says: 'Host and Origin: only the names of this machine come in, whatever is around them',
  make: (random) => ({
    ...(random.once(9) ? {} : { host: random.once(3) ? 'localhost' : oddWords(random, NAMES, 4) }),
    ...(random.once(3) ? {} : { origin: oddWords(random, NAMES, 4) }),
    method: random.pick(['GET', 'POST', 'DELETE', 'OPTIONS']),
  }),
  check: ({ host, origin, method }) => {
    let served = false;
    const handler = guarded(
      (exchange) => {
        served = true;
        exchange.reply(204);
      },
      { loopback: true, urlBytes: 100 },
    );
    const headers = { ...(host === undefined ? {} : { host }), ...(origin === undefined ? {} : { origin }) };
    const exchange = new FakeExchange({ method, headers });
    void handler(exchange);
    const due = OWN.test(host ?? '') && (origin === undefined || PAGE.test(origin));
    expect(served === due, () => `served: ${served}`);
    expect(served || exchange.status === 403, () => `refused with ${exchange.status}`);
  },
});

export const borders: readonly Target[] = [paths, egress, guard];
