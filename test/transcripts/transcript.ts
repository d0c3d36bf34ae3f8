// A transcript: one sentence of intent, what is served, what the client says (>) and what the server says (<).
//
//   # The sentence.
//   covers: rule-one, rule-two
//   over: stdio, http
//   env: NAME=value
//
//   > {"jsonrpc":"2.0","id":1,"method":"ping"}
//   < {"jsonrpc":"2.0","id":1,"result":{}}
//
// Over HTTP a message is posted to /mcp and its answer is the body. A turn may also be spelled out: `> GET /path`, header
// lines, a body; `< 200`, the headers that matter, the body, and `< event NAME DATA` for events of the open stream.
// With `session: kept` messages are posted as clients of the specification do: in the session and revision they were
// given, with a stream open for what the server says unasked, which is written before the answers of the same turn.
// A message is followed by all that is said because of it. `<` alone: nothing is said yet, the answer comes later.
// `|` starts a line of raw text. `{{any}}`, `{{number}}` and `{{time}}` stand for values that change; any other name in
// braces keeps what stands there, to be used in later lines.

export interface Turn {
  readonly says: readonly string[];
  readonly hears: readonly string[];
  /** Nothing is said yet: the answer comes in a later turn. */
  readonly waits?: boolean;
}

export type Way = 'stdio' | 'http';

export interface Transcript {
  readonly intent: string;
  readonly covers: readonly string[];
  readonly over: readonly Way[];
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  /** Whether messages over HTTP belong to one session. */
  readonly session: boolean;
  readonly turns: readonly Turn[];
  /** Everything before the first turn, as it stands. */
  readonly head: string;
}

const SPELLED = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) \//;
const WAYS: readonly Way[] = ['stdio', 'http'];

/** Whether a turn is an HTTP request written out. */
export function isSpelled({ says: [first = ''] }: Turn): boolean {
  return SPELLED.test(first);
}

/** Reads `stdio, http`. */
export function waysOf(text: string): Way[] {
  const ways = text.split(',').map((part) => part.trim()) as Way[];
  if (ways.every((way) => WAYS.includes(way))) return ways;
  throw new TypeError('Rules hold and transcripts are played over stdio or http');
}

/** How many lines the server has to say in a turn. */
export function dueIn({ says, hears, waits = false }: Turn): number {
  return hears.length === 0 && !waits && isAnswered(bodyOf(says.join('\n'))) ? 1 : hears.length;
}

function isAnswered(text: string): boolean {
  try {
    const message: unknown = JSON.parse(text);
    if (typeof message !== 'object' || message === null) return true;
    return 'method' in message ? 'id' in message : !('result' in message || 'error' in message);
  } catch {
    return true;
  }
}

export function parseTranscript(text: string): Transcript {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith('>'));
  if (start === -1) throw new TypeError('A transcript needs something the client says');
  const head = lines.slice(0, start);
  const of = (key: string) =>
    head.filter((line) => line.startsWith(`${key}: `)).map((line) => line.slice(key.length + 2));
  const listed = (key: string) => of(key).flatMap((value) => value.split(',').map((part) => part.trim()));
  const intent = head.find((line) => line.startsWith('# '))?.slice(2);
  if (intent === undefined) throw new TypeError('A transcript needs a sentence of intent');
  const over = waysOf(of('over').join(','));
  return {
    intent,
    covers: listed('covers'),
    over,
    env: Object.fromEntries(
      of('env').map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    ),
    args: of('args').flatMap((value) => value.split(' ')),
    session: of('session').includes('kept'),
    turns: turnsOf(lines.slice(start)),
    head: head.join('\n'),
  };
}

function turnsOf(lines: readonly string[]): Turn[] {
  const turns: { says: string[]; hears: string[]; waits?: boolean }[] = [];
  for (const line of lines.filter((text) => text.trim() !== '')) {
    const rest = line.slice(2);
    const last = turns.at(-1);
    if (!/^[<>](?: |$)/.test(line)) throw new TypeError(`Not a line of a transcript: ${line}`);
    if (line === '<' && last !== undefined) last.waits = true;
    else if (line.startsWith('<')) last?.hears.push(rest);
    else if (last !== undefined && goesOn(last, rest)) last.says.push(rest);
    else turns.push({ says: [rest], hears: [] });
  }
  return turns;
}

/** Headers and one body follow the first line of a request that is spelled out; everything else is a turn of its own. */
function goesOn(turn: Turn, line: string): boolean {
  if (turn.hears.length > 0 || !isSpelled(turn) || SPELLED.test(line)) return false;
  return !isBody(turn.says.at(-1) ?? '');
}

export function isBody(line: string): boolean {
  return /^[{[|]/.test(line);
}

/** The text of a body line. */
export function bodyOf(line: string): string {
  return line.startsWith('|') ? line.slice(1) : line;
}

export function formatTranscript({ head, turns }: Pick<Transcript, 'head' | 'turns'>): string {
  const blocks = turns.map(({ says, hears, waits = false }) =>
    [...says.map((line) => `> ${line}`), ...hears.map((line) => `< ${line}`), ...(waits ? ['<'] : [])].join('\n'),
  );
  return `${[head.trimEnd(), ...blocks].join('\n\n')}\n`;
}
