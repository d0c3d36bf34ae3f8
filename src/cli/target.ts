import { parseArgs } from 'node:util';
import { blame, type OpenClient, openClient, SPOKEN, type Target } from '../host/client.ts';
import { createAnswerers } from './asking.ts';
import { EXIT, type Terminal, UsageError } from './command.ts';

/** The options every client command takes. */
export const TARGET_HELP = `Options:
  --json             Print one JSON document on stdout, for programs
  --revision DATE    Speak this MCP revision and no other (default: the newest both sides know)
  --timeout SECONDS  Longest wait for an answer (default: 60)
  -- COMMAND ARGS    The server: the program to start, never through a shell

Exit codes: 0 ok, 1 the tool failed, 2 usage, 3 the server cannot be reached, 4 the server refused.`;

const OPTIONS = {
  json: { type: 'boolean' },
  revision: { type: 'string' },
  timeout: { type: 'string' },
} as const;

/** What a client command was called with. */
export interface Pointed {
  readonly target: Target;
  readonly json: boolean;
  /** What stood before `--` and is no option. */
  readonly words: readonly string[];
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
}

/** Reads a client command's arguments: its own before `--`, the server's command after it. */
export function readTarget(
  args: readonly string[],
  extra: Readonly<Record<string, { type: 'string' | 'boolean' }>> = {},
): Pointed {
  const split = args.indexOf('--');
  const own = split === -1 ? args : args.slice(0, split);
  const command = split === -1 ? [] : args.slice(split + 1);
  const { values, positionals } = parseArgs({
    args: [...own],
    options: { ...OPTIONS, ...extra },
    allowPositionals: true,
    strict: true,
  });
  if (command.length === 0) throw noTarget(positionals);
  const given = values as Record<string, string | boolean | undefined>;
  return {
    target: { command, revision: readRevision(given['revision']), timeoutMs: readTimeout(given['timeout']) },
    json: given['json'] === true,
    words: positionals,
    values: given,
  };
}

/** Opens a client on the target, does the work and closes it; what goes wrong becomes an exit code. */
export async function withClient(
  { target }: Pointed,
  terminal: Terminal,
  work: (client: OpenClient) => Promise<number>,
): Promise<number> {
  let client: OpenClient | undefined;
  try {
    const onQuestion = createAnswerers(terminal, () => client?.server.info.name ?? 'The server');
    client = await openClient(target, {
      onQuestion,
      onStderr: (text) => terminal.say(text.replace(/\n$/, '')),
      onRemark: (text) => terminal.say(text),
    });
    return await work(client);
  } catch (error) {
    const kind = blame(error);
    if (kind === undefined) throw error;
    const { message } = error as Error;
    terminal.say(kind === 'refused' ? `The server refused: ${message}` : message);
    return EXIT[kind];
  } finally {
    await client?.close();
  }
}

function noTarget(words: readonly string[]): UsageError {
  const url = words.find((word) => /^(?:https?|wss?):\/\//i.test(word));
  return new UsageError(
    url === undefined
      ? 'Say which server to start: put its command after "--"'
      : `Cannot connect to "${url}": HTTP targets are not in this version yet. Start the server with "-- command args"`,
  );
}

function readRevision(text: string | boolean | undefined): string | undefined {
  if (text === undefined || SPOKEN.includes(text as string)) return text as string | undefined;
  throw new UsageError(`Unknown revision: "${text}". There are: ${SPOKEN.join(', ')}`);
}

function readTimeout(text: string | boolean | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (!(seconds > 0) || seconds > 86_400) throw new UsageError(`--timeout must be a number of seconds: "${text}"`);
  return Math.ceil(seconds * 1000);
}
