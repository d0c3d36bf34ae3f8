import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { run } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Citation, citationsIn } from './citation.ts';
import { play } from './play.ts';
import { formatTranscript, parseTranscript, type Transcript, type Way } from './transcript.ts';

const FOLDER = fileURLToPath(new URL('../../../test/transcripts/', import.meta.url));
const PARLEY = fileURLToPath(new URL('../../src/cli/parley.js', import.meta.url));

/** What `{{long}}` stands for: a text of this length, the longest line of the action protocol. */
const LONG = 524_288;

/** What a document demands. */
export interface Rule {
  /** What the document says. */
  readonly says: string;
  /** The ways it has to be shown to hold; any one will do where none is named. */
  readonly over?: readonly Way[];
  /** What holds instead or besides, where the specification says otherwise. */
  readonly differs?: string;
}

/** A seed: a preset, the rules of its document, and the transcripts that hold it to them. */
export interface Seed {
  readonly name: string;
  readonly folder: string;
  readonly preset: string;
  /** By id. */
  readonly rules: Readonly<Record<string, Rule>>;
  readonly transcripts: readonly { readonly path: string; readonly transcript: Transcript }[];
  /** Test files that cite what no transcript can tell. */
  readonly tests: readonly { readonly path: string; readonly cites: readonly Citation[] }[];
}

/** Every seed that has transcripts, in order. */
export function readSeeds(): Seed[] {
  const names = readdirSync(FOLDER).filter((name) => existsSync(join(FOLDER, name, 'rules.json')));
  return names.sort().map((name) => {
    const folder = join(FOLDER, name);
    const { preset, rules } = JSON.parse(readFileSync(join(folder, 'rules.json'), 'utf8'));
    const files = readdirSync(folder).sort();
    const read = <T>(ending: string, make: (path: string, text: string) => T): T[] =>
      files
        .filter((file) => file.endsWith(ending))
        .map((file) => make(join(folder, file), readFileSync(join(folder, file), 'utf8')));
    return {
      name,
      folder,
      preset,
      rules: Object.fromEntries(Object.entries<string | Rule>(rules).map(([id, rule]) => [id, asRule(rule)])),
      transcripts: read('.transcript', (path, text) => ({ path, transcript: parseTranscript(text) })),
      tests: read('.test.ts', (path, text) => ({ path, cites: citationsIn(text) })),
    };
  });
}

function asRule(rule: string | Rule): Rule {
  return typeof rule === 'string' ? { says: rule } : rule;
}

/** Everything a seed is held to, each with the file that does. */
export function citationsOf({ transcripts, tests }: Seed): (Citation & { readonly path: string })[] {
  return [
    ...transcripts.map(({ path, transcript: { covers, over } }) => ({ path, covers, over })),
    ...tests.flatMap(({ path, cites }) => cites.map((cited) => ({ path, ...cited }))),
  ];
}

/** Rules nothing covers, or not over every way they name, and rules covered that the document does not have. */
export function looseEnds(seed: Seed): { uncovered: string[]; unknown: string[] } {
  const cited = citationsOf(seed);
  const covered = new Set(cited.flatMap(({ covers }) => covers));
  const isCovered = (rule: string, way: Way) =>
    cited.some(({ covers, over }) => covers.includes(rule) && over.includes(way));
  return {
    uncovered: Object.entries(seed.rules).flatMap(([rule, { over }]) => {
      if (over === undefined) return covered.has(rule) ? [] : [rule];
      return over.filter((way) => !isCovered(rule, way)).map((way) => `${rule} over ${way}`);
    }),
    unknown: [...covered].filter((rule) => !Object.hasOwn(seed.rules, rule)),
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

/** Runs a test file of a seed; resolves to the names of the tests that fail. */
export async function playTests(seed: Seed, path: string): Promise<string[]> {
  const built = fileURLToPath(new URL(`${seed.name}/${basename(path, '.ts')}.js`, import.meta.url));
  const failed: string[] = [];
  const running = run({ files: [built] }).on('test:fail', ({ name }) => failed.push(name));
  for await (const _ of running);
  return failed;
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
