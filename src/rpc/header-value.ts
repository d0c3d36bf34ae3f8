const PLAIN = /^[\t\x20-\x7e]*$/;
const EDGE_SPACE = /^[ \t]|[ \t]$/;
const ENCODED = /^=\?base64\?(.*)\?=$/s;
const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A value as a header carries it: as it is where that is safe, in its Base64 form otherwise. */
// spec 2026-07-28 basic/transports/streamable-http#value-encoding
export function encodeHeader(value: string | number | boolean): string {
  const text = String(value);
  if (PLAIN.test(text) && !EDGE_SPACE.test(text) && !ENCODED.test(text)) return text;
  return `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

/** What stands for itself wherever it stands: nearly every name of an item. */
const WORD = /^[\w./:-]+$/;

/** The value a header carries; `undefined` when it carries none that can be read. */
export function decodeHeader(header: string): string | undefined {
  if (WORD.test(header)) return header;
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
