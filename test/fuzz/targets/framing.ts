import { LineReader, Overlong } from '../../../src/rpc/lines.ts';
import { commentText, EventTooLong, eventText, type ReadEvent, SseReader } from '../../../src/rpc/sse.ts';
import { changeBytes } from '../mutate/bytes.ts';
import { hash, Random } from '../random.ts';
import { bytesTarget, oddWords, tried, valueTarget } from '../simple.ts';
import { expect, shown, type Target } from '../target.ts';

// Readers of streams: what they read may not depend on where the stream was cut, and is what a slow, plain reader reads.

const LIMIT = 24;

/** The ways to cut an input: everywhere once when it is short, else in places chosen by its content. */
function* cuts(input: Buffer): Generator<readonly Buffer[]> {
  yield [input];
  yield [...input].map((byte) => Buffer.of(byte));
  const random = new Random(hash(input.toString('latin1')));
  const places = input.length <= 80 ? Array.from({ length: input.length }, (_, at) => at) : [];
  for (const at of places) yield [input.subarray(0, at), input.subarray(at)];
  for (let times = 0; times < 4; times += 1) {
    const pieces: Buffer[] = [];
    for (let at = 0; at < input.length; ) {
      const size = 1 + random.below(random.pick([2, 8, 40]));
      pieces.push(input.subarray(at, at + size));
      at += size;
    }
    yield pieces;
  }
}

function readLines(chunks: readonly Buffer[]): string[] {
  const reader = new LineReader(LIMIT);
  const lines: string[] = [];
  const drain = (): void => {
    for (let line = reader.next(); line !== undefined; line = reader.next()) {
      lines.push(line instanceof Overlong ? 'too long' : `=${Buffer.from(line as Buffer).toString('latin1')}`);
    }
  };
  for (const chunk of chunks) {
    reader.push(chunk);
    drain();
  }
  reader.end();
  drain();
  return lines;
}

function plainLines(input: Buffer): string[] {
  const pieces = input.toString('latin1').split('\n');
  if (pieces.at(-1) === '') pieces.pop();
  return pieces
    .map((piece) => (piece.endsWith('\r') ? piece.slice(0, -1) : piece))
    .map((piece) => (piece.length > LIMIT ? 'too long' : `=${piece}`));
}

const LINES = [
  '{"a":1}',
  'é',
  '\u{1f600}',
  '\r',
  '\n',
  '\r\n',
  '\n\n',
  'x'.repeat(LIMIT - 1),
  'yy',
  '\ufeff',
  'z'.repeat(90),
];

const lines = bytesTarget({
  name: 'lines',
  says: 'the line reader, cut at every place',
  make: (random) => {
    const text = Buffer.from(random.many(LINES, random.small(9)).join(''));
    return random.once(2) ? changeBytes(text, random) : text;
  },
  check: (input) => {
    const due = JSON.stringify(plainLines(input));
    for (const chunks of cuts(input)) {
      const read = JSON.stringify(readLines(chunks));
      expect(read === due, () => `lines ${read}, due ${due}, cut at ${chunks.map(({ length }) => length)}`);
    }
  },
});

const EVENT_LIMIT = 200;

function readEvents(chunks: readonly Buffer[]): string {
  const reader = new SseReader(EVENT_LIMIT);
  const events: ReadEvent[] = [];
  try {
    for (const chunk of chunks) events.push(...reader.push(chunk));
  } catch (error) {
    if (error instanceof EventTooLong) return 'too long';
    throw error;
  }
  return JSON.stringify({ events, last: reader.lastId, retry: reader.retryMs });
}

/** Events by the words of the standard: all of the text at once, line by line. */
class PlainEvents {
  readonly events: { data: string; event: string; id: string | undefined }[] = [];
  last: string | undefined;
  retry: number | undefined;
  #data: string[] = [];
  #event = '';
  #id: string | undefined;

  line(line: string): void {
    const colon = line.indexOf(':');
    if (line === '') this.#end();
    else if (colon === -1) this.#field(line, '');
    else this.#field(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''));
  }

  #field(name: string, value: string): void {
    if (name === 'data') this.#data.push(value);
    else if (name === 'event') this.#event = value;
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && /^[0-9]+$/.test(value)) this.retry = Number(value);
  }

  #end(): void {
    this.last = this.#id ?? this.last;
    const event = this.#event === '' ? 'message' : this.#event;
    if (this.#data.length > 0) this.events.push({ data: this.#data.join('\n'), event, id: this.last });
    this.#data = [];
    this.#event = '';
  }
}

function plainEvents(input: Buffer): string {
  const pieces = new TextDecoder().decode(input, { stream: true }).split(/\r\n|\n|\r/);
  pieces.pop();
  const plain = new PlainEvents();
  for (const piece of pieces) plain.line(piece);
  return JSON.stringify({ events: plain.events, last: plain.last, retry: plain.retry });
}

const PIECES = [
  'data: a\n',
  'data:b\r\n',
  'data\r',
  'id: 7\n',
  'id\n',
  'id: \0\n',
  'event: x\n',
  'event:\n',
  'retry: 10\n',
  'retry: 1e3\n',
  ': comment\n',
  ':\r',
  '\n',
  '\r\n',
  '\r',
  '\ufeff',
  'é',
  '\u{1f600}',
  'data : c\n',
  'Data: d\n',
  'data: \n',
];

const sse = bytesTarget({
  name: 'sse-read',
  says: 'the reader of event streams, on garbage and cut at every place',
  make: (random) => {
    const text = Buffer.from(random.many(PIECES, random.small(14)).join(''));
    return random.once(2) ? changeBytes(text, random) : text;
  },
  check: (input) => {
    const due = plainEvents(input);
    for (const chunks of cuts(input)) {
      const read = readEvents(chunks);
      expect(read === due || read === 'too long', () => `events ${read}, due ${due}`);
    }
  },
});

interface Written {
  data: string;
  id?: string;
  event?: string;
  retryMs?: number;
}

const sseWrite = valueTarget<Written[]>({
  name: 'sse-write',
  says: 'what is written as events is read as it was, and nothing breaks out of its line',
  make: (random) =>
    Array.from({ length: 1 + random.small(3) }, () => ({
      data: oddWords(random, ['data: ', '\n\n', '{"a":1}']),
      ...(random.once(2) ? { id: oddWords(random, ['1', 'id: 2'], 4) } : {}),
      ...(random.once(2) ? { event: oddWords(random, ['message', 'ping'], 4) } : {}),
      ...(random.once(4) ? { retryMs: random.below(1000) } : {}),
    })),
  check: (events) => {
    if (!Array.isArray(events)) return;
    const texts = events.map((event) => tried(() => eventText(event), TypeError));
    const reader = new SseReader(100_000);
    let last: string | undefined;
    for (const [at, text] of texts.entries()) {
      if (typeof text !== 'string') continue;
      const { data, id, event = '' } = events[at] as Written;
      if (id !== undefined) last = id;
      const read = reader.push(Buffer.from(commentText('alive') + text));
      const due = [{ data: wellFormed(data), event: wellFormed(event) || 'message', id: last && wellFormed(last) }];
      const same = JSON.stringify(read) === JSON.stringify(due) || last === '';
      expect(same, () => `read ${shown(read)}, written ${shown(due)}`);
    }
  },
});

/** Half a character cannot be sent. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString('utf8');
}

export const framing: readonly Target[] = [lines, sse, sseWrite];
