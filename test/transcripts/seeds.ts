import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { play } from './play.ts';
import { formatTranscript, parseTranscript, type Transcript, type Way } from './transcript.ts';

const FOLDER = fileURLToPath(new URL('../../../test/transcripts/', import.meta.url));
const PARLEY = fileURLToPath(new URL('../../src/cli/parley.js', import.meta.url));

/** What `{{long}}` stands for: a text of this length, the longest line of the action protocol. */
const LONG = 524_288;

/** A seed: a preset, the rules of its document, and the transcripts that hold it to them. */
export interface Seed {
  readonly name: string;
  readonly folder: string;
  readonly preset: string;
  /** Rule id → what the document says. */
  readonly rules: Readonly<Record<string, string>>;
  readonly transcripts: readonly { readonly path: string; readonly transcript: Transcript }[];
}

/** Every seed that has transcripts, in order. */
export function readSeeds(): Seed[] {
  const names = readdirSync(FOLDER).filter((name) => existsSync(join(FOLDER, name, 'rules.json')));
  return names.sort().map((name) => {
    const folder = join(FOLDER, name);
    const { preset, rules } = JSON.parse(readFileSync(join(folder, 'rules.json'), 'utf8'));
    const paths = readdirSync(folder)
      .filter((file) => file.endsWith('.transcript'))
      .sort();
    const transcripts = paths.map((file) => {
      const path = join(folder, file);
      return { path, transcript: parseTranscript(readFileSync(path, 'utf8')) };
    });
    return { name, folder, preset, rules, transcripts };
  });
}

/** Rules no transcript covers, and rules covered that the document does not have. */
export function looseEnds({ rules, transcripts }: Seed): { uncovered: string[]; unknown: string[] } {
  const covered = new Set(transcripts.flatMap(({ transcript }) => transcript.covers));
  return {
    uncovered: Object.keys(rules).filter((rule) => !covered.has(rule)),
    unknown: [...covered].filter((rule) => !Object.hasOwn(rules, rule)),
  };
}

export interface PlayOptions {
  readonly way: Way;
  /** Writes what the server says into the transcript. */
  readonly rewrite?: boolean;
}

/** Plays a transcript of a seed against the command a user would start; resolves to what differs. */
export async function playSeed(
  seed: Seed,
  path: string,
  { way, rewrite = false }: PlayOptions,
): Promise<readonly string[]> {
  const transcript = parseTranscript(readFileSync(path, 'utf8'));
  const target = await openTarget();
  const scratch = mkdtempSync(join(tmpdir(), 'parley-seed-'));
  const { port } = target.address() as AddressInfo;
  const known = new Map([
    ['here', seed.folder],
    ['port', String(port)],
    ['origin', `http://127.0.0.1:${port}`],
    ['scratch', scratch],
    ['long', 'x'.repeat(LONG)],
  ]);
  const filled = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => known.get(name) ?? '');
  try {
    const { differences, turns } = await play(transcript, way, {
      known,
      command: (name) => [
        process.execPath,
        PARLEY,
        name,
        '--preset',
        seed.preset,
        '--log-level',
        'warn',
        ...transcript.args.map(filled),
      ],
      env: {
        PATH: process.env['PATH'],
        // What the child runs counts as covered too.
        NODE_V8_COVERAGE: process.env['NODE_V8_COVERAGE'],
        ...Object.fromEntries(Object.entries(transcript.env).map(([name, value]) => [name, filled(value)])),
      },
    });
    if (rewrite && differences.length > 0) writeFileSync(path, formatTranscript({ head: transcript.head, turns }));
    return differences;
  } finally {
    target.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A small web server for tools that make requests. */
function openTarget(): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url === '/away') {
      response.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end();
      return;
    }
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      response.sendDate = false;
      response.writeHead(200, {
        'Content-Type': 'text/plain',
        'Content-Length': Buffer.byteLength(`${request.method} ${body}`),
      });
      response.end(`${request.method} ${body}`);
    });
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}
