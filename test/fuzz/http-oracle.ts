// Where HTTP messages begin and end, read by a parser of our own: requests as we sent them, responses as they came.

/** How many answers bytes may get at most, and how many they must get. */
export interface Wanted {
  /** The methods of the requests that are whole, as far as anybody may read them. */
  readonly methods: readonly string[];
  /** What follows them is no request, or not a whole one: one more answer may come, and then nothing. */
  readonly broken: boolean;
  /** The first request is beyond doubt, so that it must be answered. */
  readonly sure: boolean;
}

const REQUEST_LINE = /^([!#$%&'*+.^_`|~\dA-Za-z-]+) ([^\s]+) HTTP\/(\d)\.(\d)$/;
const HEADER = /^([!#$%&'*+.^_`|~\dA-Za-z-]+):[ \t]*(.*?)[ \t]*$/;

interface Head {
  readonly method: string;
  readonly version: string;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly end: number;
}

/** Reads requests as generously as the standard lets anybody, but for what it says must be refused. */
export function wantedBy(bytes: Buffer): Wanted {
  const text = bytes.toString('latin1');
  const methods: string[] = [];
  let at = 0;
  let sure = false;
  while (at < text.length) {
    const blank = /^(?:\r?\n)+/.exec(text.slice(at, at + 8));
    if (blank !== null) {
      at += blank[0].length;
      continue;
    }
    const head = readHead(text, at);
    const end = head === undefined ? undefined : bodyEnd(text, head);
    if (head === undefined || end === undefined) return { methods, broken: true, sure };
    if (methods.length === 0) sure = isSure(text.slice(at, head.end), head);
    methods.push(head.method);
    at = end;
  }
  return { methods, broken: false, sure };
}

function readHead(text: string, start: number): Head | undefined {
  const found = /\r?\n\r?\n/.exec(text.slice(start));
  if (found === null) return undefined;
  const end = start + found.index + found[0].length;
  const [first = '', ...lines] = text.slice(start, start + found.index).split(/\r?\n/);
  const [, method, , major, minor] = REQUEST_LINE.exec(first) ?? [];
  if (method === undefined) return undefined;
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const [, name, value = ''] = HEADER.exec(line) ?? [];
    if (name === undefined) return undefined;
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value]);
  }
  return { method, version: `${major}.${minor}`, headers, end };
}

/** Where a request ends; none when nobody may say. */
function bodyEnd(text: string, { headers, end }: Head): number | undefined {
  const lengths = headers.get('content-length');
  const codings = headers.get('transfer-encoding');
  if (codings !== undefined) {
    const chunked = codings.length === 1 && /^(?:(?!chunked)[a-z]+, *)*chunked$/i.test(codings[0] ?? '');
    return chunked && lengths === undefined ? chunksEnd(text, end) : undefined;
  }
  if (lengths === undefined) return end;
  const [length = ''] = lengths;
  if (lengths.length > 1 || !/^\d{1,15}$/.test(length)) return undefined;
  return end + Number(length) <= text.length ? end + Number(length) : undefined;
}

function chunksEnd(text: string, start: number): number | undefined {
  for (let at = start; ; ) {
    const size = /^([\da-fA-F]{1,8})(?:[ \t]*;[^\r\n]*)?\r?\n/.exec(text.slice(at, at + 300));
    if (size === null) return undefined;
    at += size[0].length;
    const length = Number.parseInt(size[1] as string, 16);
    if (length === 0) {
      const end = /^(?:[^\r\n]+\r?\n)*\r?\n/.exec(text.slice(at));
      return end === null ? undefined : at + end[0].length;
    }
    const next = /^\r?\n/.exec(text.slice(at + length, at + length + 2));
    if (next === null) return undefined;
    at += length + next[0].length;
  }
}

/** Nothing about the request is out of the ordinary. */
function isSure(head: string, { method, version, headers }: Head): boolean {
  const plain = /^[\x20-\x7e\r\n]*$/.test(head) && !/[^\r]\n/.test(head);
  return plain && version === '1.1' && /^(?:GET|POST|DELETE)$/.test(method) && headers.get('host')?.length === 1;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** The connection ended, or was let go, before the body did. */
  readonly cut: boolean;
}

const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*$/;

/** Reads responses to requests of these methods; throws when what came is not HTTP. */
export function readAnswers(text: string, methods: readonly string[]): HttpAnswer[] {
  const answers: HttpAnswer[] = [];
  let at = 0;
  while (at < text.length) {
    const end = text.indexOf('\r\n\r\n', at);
    if (end === -1) throw new Error(`Half a head: ${JSON.stringify(text.slice(at, at + 200))}`);
    const [first = '', ...lines] = text.slice(at, end).split('\r\n');
    const [, status] = STATUS_LINE.exec(first) ?? [];
    if (status === undefined) throw new Error(`Not a status line: ${JSON.stringify(first)}`);
    const headers = new Map(lines.map(readHeader));
    // What is no request has no method, whatever it looks like: a refusal of it has a body.
    const headed = methods[answers.length] === 'HEAD' && /^(?:HTTP\/|$)/.test(text.slice(end + 4, end + 9));
    const bare = headed || status.startsWith('1') || status === '204' || status === '304';
    const { body, next, cut } = bare ? { body: '', next: end + 4, cut: false } : readBody(text, end + 4, headers);
    if (!status.startsWith('1')) answers.push({ status: Number(status), headers, body, cut });
    at = next;
  }
  return answers;
}

function readHeader(line: string): [string, string] {
  const [, name, value] = HEADER.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new Error(`Not a header: ${JSON.stringify(line)}`);
  return [name.toLowerCase(), value];
}

interface Body {
  readonly body: string;
  readonly next: number;
  readonly cut: boolean;
}

function readBody(text: string, start: number, headers: ReadonlyMap<string, string>): Body {
  const length = headers.get('content-length');
  if (length !== undefined) {
    const next = start + Number(length);
    return { body: text.slice(start, next), next: Math.min(next, text.length), cut: next > text.length };
  }
  if (headers.get('transfer-encoding') !== 'chunked') {
    return { body: text.slice(start), next: text.length, cut: false };
  }
  return readChunks(text, start);
}

function readChunks(text: string, start: number): Body {
  let body = '';
  for (let at = start; ; ) {
    const size = /^([\da-f]+)\r\n/i.exec(text.slice(at, at + 20));
    if (size === null) return { body, next: text.length, cut: true };
    const length = Number.parseInt(size[1] as string, 16);
    const from = at + size[0].length;
    if (length === 0) return { body, next: from + 2, cut: false };
    body += text.slice(from, from + length);
    at = from + length + 2;
  }
}
