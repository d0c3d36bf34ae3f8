/** The characters of a bearer token, one entry a code. */
// spec RFC 6750 section 2.1
const TOKEN = new Uint8Array(128);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/')
  TOKEN[character.charCodeAt(0)] = 1;

const SCHEME = 'bearer';
const SPACE = 32;
const TAB = 9;
const COMMA = 44;
const EQUALS = 61;

/** A token a request came with. */
export interface Bearer {
  readonly token: string;
}

/** The bearer token of an Authorization header; `undefined` when the header is absent or of another scheme. */
export function bearerIn(header: string | undefined): Bearer | 'malformed' | undefined {
  if (header === undefined || !isBearer(header)) return undefined;
  let start = SCHEME.length;
  while (header.charCodeAt(start) === SPACE) start += 1;
  let end = header.length;
  while (end > start && header.charCodeAt(end - 1) === SPACE) end -= 1;
  if (start === SCHEME.length || !isToken(header, start, end)) return 'malformed';
  return { token: header.slice(start, end) };
}

function isBearer(header: string): boolean {
  if (!header.startsWith('Bearer') && header.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return false;
  const next = header.charCodeAt(SCHEME.length);
  return Number.isNaN(next) || next === SPACE || next === COMMA || next === TAB;
}

function isToken(text: string, start: number, end: number): boolean {
  let at = start;
  while (at < end && TOKEN[text.charCodeAt(at)] === 1) at += 1;
  if (at === start) return false;
  while (at < end && text.charCodeAt(at) === EQUALS) at += 1;
  return at === end;
}
