import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAccess } from '../../../src/cli/access.ts';
import { UsageError } from '../../../src/cli/command.ts';
import { readRate } from '../../../src/cli/rate.ts';
import { readServing } from '../../../src/cli/serving.ts';
import { readTarget } from '../../../src/cli/target.ts';
import { readInput, readPairs } from '../../../src/cli/values.ts';
import { readAccessFile } from '../../../src/host/access.ts';
import { expand } from '../../../src/host/expand.ts';
import type { Json } from '../../../src/model/json.ts';
import { changeBytes } from '../mutate/bytes.ts';
import type { Random } from '../random.ts';
import { isPolluted, oddWords, tried, valueTarget } from '../simple.ts';
import { expect, type OpenTarget, shown, type Target } from '../target.ts';

// What people write: command lines, variables in configuration, and files about access.

const FLAGS = [
  '--json',
  '--revision',
  '--timeout',
  '--header',
  '--',
  '--module',
  '--preset',
  '--log-level',
  '--port',
  '-m',
  '-',
  '--x=',
  'http://127.0.0.1:1/mcp',
  'K: V',
  'a=1',
  '=',
  '2025-06-18',
  'info',
  '30',
  '--__proto__',
];

/** A wrong command line is a usage error, and one a person can read. */
function readable(error: Error): void {
  const usage = error instanceof UsageError || String((error as { code?: string }).code).startsWith('ERR_PARSE_ARGS');
  expect(usage, () => `${error.stack}`);
  expect(error.message.length > 8, () => `a usage error without words: ${shown(error.message)}`);
}

const commands = valueTarget<string[]>({
  name: 'command-line',
  says: 'command lines at random: read, or refused as a mistake of usage',
  make: (random) =>
    Array.from({ length: random.small(6) }, () => (random.once(3) ? oddWords(random, FLAGS, 4) : random.pick(FLAGS))),
  check: (args) => {
    if (!Array.isArray(args) || !args.every((one) => typeof one === 'string')) return;
    const [rate, burst] = args;
    const schema = {
      type: 'object',
      properties: { a: { type: ['integer', 'boolean'] }, b: { $ref: '#/properties/a' } },
    };
    const calls: (() => unknown)[] = [
      () => readTarget(args),
      () => readServing(args, {}, {}),
      () => readRate(rate, burst),
      () => readInput(readPairs(args), schema),
      () => readAccess((flag) => (flag === 'access' || flag === 'auth-tokens' ? undefined : rate), {}),
    ];
    for (const call of calls) {
      const read = tried(call, Error);
      if (read instanceof Error) readable(read);
    }
    expect(!isPolluted(), 'the prototype of all objects was changed');
  },
});

const reference = (inside: string): string => `\${${inside}}`;
const REFERENCES = [
  ...['A', 'B:-x', 'C', 'file:none', 'file:', '__proto__', 'constructor', 'A:-', 'toString:-y'].map(reference),
  reference(`A:-${reference('B')}`),
  reference('').slice(0, 2),
  '}',
  '$',
];

const expansion = valueTarget<Json>({
  name: 'expansion',
  says: 'variables in configuration: put in once, never again, and a missing one named',
  make: (random) => ({
    [oddWords(random, ['a'], 2)]: [
      oddWords(random, REFERENCES),
      { b: oddWords(random, REFERENCES), c: random.below(9) },
    ],
  }),
  check: (value) => {
    const env: Record<string, string> = { A: reference('C'), C: 'see' };
    const read = tried(() => expand(value, { env, folder: '/nonexistent' }), Error);
    if (read instanceof Error) return expect(/^Cannot read "/.test(read.message), () => `${read.stack}`);
    const plain = JSON.stringify(value);
    if (!plain.includes(reference('').slice(0, 2)))
      expect(JSON.stringify(read) === plain, () => `changed to ${shown(read)}`);
    expect(!isPolluted(), 'the prototype of all objects was changed');
  },
});

const FILE =
  '{"rules":[{"tools":["admin_*"],"scopes":["admin"]},{"resources":["file:*"],"scopes":["read"]}],"implies":{"admin":["read"]}}';

class FileTarget implements OpenTarget {
  readonly #folder = mkdtempSync(join(tmpdir(), 'parley-fuzz-'));

  generate(random: Random): Buffer {
    return changeBytes(
      Buffer.from(
        random.once(4) ? FILE.replaceAll(/"[a-z]+"/g, () => random.pick(['5', '[]', '{}', 'null', '"x"'])) : FILE,
      ),
      random,
    );
  }

  check(input: Buffer): void {
    const file = join(this.#folder, 'access.json');
    writeFileSync(file, input);
    const read = tried(() => readAccessFile(file, {}), TypeError, Error);
    if (read instanceof Error) expect(/^Cannot |^(?:Unknown|An? )/.test(read.message), () => `${read.stack}`);
    else expect(Array.isArray(read.rules), () => `read as ${shown(read)}`);
  }

  close(): void {
    rmSync(this.#folder, { recursive: true });
  }
}

const files: Target = {
  name: 'access-file',
  says: 'files about access: used, or refused with a reason',
  open: () => new FileTarget(),
};

export const settings: readonly Target[] = [commands, expansion, files];
