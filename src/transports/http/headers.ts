const TOKEN = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;
const MEDIA_TYPE = /^[ \t]*([^/;, \t]+)\/([^/;, \t]+)[ \t]*(?:;|$)/;
const ZERO = /;[ \t]*q=0(?:\.0{0,3})?[ \t]*(?:;|$)/i;
const PLAIN = /^[\t\x20-\x7e]*$/;
const EDGE_SPACE = /^[ \t]|[ \t]$/;
const ENCODED = /^=\?base64\?(.*)\?=$/s;
const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The media type of a header value in lower case, its parameters left off; `undefined` when it is none. */
export function mediaType(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (value === 'application/json') return value;
  const [, type, subtype] = MEDIA_TYPE.exec(value) ?? [];
  if (type === undefined || subtype === undefined || !TOKEN.test(type) || !TOKEN.test(subtype)) return undefined;
  return `${type}/${subtype}`.toLowerCase();
}

/** Whether a body of this content type is JSON. */
export function isJson(contentType: string | undefined): boolean {
  return mediaType(contentType) === 'application/json';
}

/** Which forms of answer a client takes. */
export interface Accepted {
  readonly json: boolean;
  readonly events: boolean;
}

const BOTH: Accepted = { json: true, events: true };
const USUAL = new Set(['application/json, text/event-stream', 'text/event-stream, application/json', '*/*', '']);

/** Reads an `Accept` header. Absent and empty count as everything; a range with `q=0` counts as left out. */
export function accepted(accept: string | undefined): Accepted {
  if (accept === undefined || USUAL.has(accept)) return BOTH;
  const ranges = new Map<string, boolean>();
  for (const range of accept.split(',')) {
    const type = mediaType(range);
    if (type !== undefined) ranges.set(type, !ZERO.test(range));
  }
  const takes = (type: string, family: string): boolean =>
    ranges.get(type) ?? ranges.get(family) ?? ranges.get('*/*') ?? false;
  return { json: takes('application/json', 'application/*'), events: takes('text/event-stream', 'text/*') };
}

/** A value as an `Mcp-*` header carries it: as it is where that is safe, in its Base64 form otherwise. */
export function encodeHeader(value: string | number | boolean): string {
  const text = String(value);
  if (PLAIN.test(text) && !EDGE_SPACE.test(text) && !ENCODED.test(text)) return text;
  return `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

/** The value an `Mcp-*` header carries; `undefined` when it carries none that can be read. */
export function decodeHeader(header: string): string | undefined {
  const text = header.replace(/^[ \t]+|[ \t]+$/g, '');
  const encoded = ENCODED.exec(text)?.[1];
  if (encoded === undefined) return PLAIN.test(text) ? text : undefined;
  const bytes = Buffer.from(encoded, 'base64');
  // Node skips what is not Base64; only the canonical form is the value somebody meant.
  if (bytes.toString('base64') !== encoded) return undefined;
  try {
    return STRICT.decode(bytes);
  } catch {
    return undefined;
  }
}
