import { Fault } from '../model/fault.ts';
import type { ResourceContents } from '../model/items.ts';
import { isObject } from '../model/json.ts';
import { plainJson } from './plain-json.ts';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The contents a resource handler's return value stands for; what it leaves out is filled in from the request. */
export function contentsOf(value: unknown, uri: string, mimeType?: string): ResourceContents[] {
  const known = mimeType === undefined ? { uri } : { uri, mimeType };
  if (isObject(value) && Array.isArray(value['contents'])) return contentsList(value['contents'], known);
  return Array.isArray(value) ? contentsList(value, known) : [oneOf(value, known)];
}

type Known = Pick<ResourceContents, 'uri' | 'mimeType'>;

function contentsList(values: readonly unknown[], known: Known): ResourceContents[] {
  return values.map((value) => oneOf(value, known));
}

function oneOf(value: unknown, known: Known): ResourceContents {
  if (typeof value === 'string') return { ...known, text: value };
  if (value instanceof Uint8Array) return { ...known, blob: base64(value) };
  if (!isObject(value)) throw unfit('return a text, bytes, or an object with "text" or "blob"');
  const { text, blob, uri, mimeType, _meta: meta } = value as Readonly<Record<string, unknown>>;
  const contents: ResourceContents = { ...known, ...body(text, blob) };
  if (uri !== undefined) contents.uri = textIn('uri', uri);
  if (mimeType !== undefined) contents.mimeType = textIn('mimeType', mimeType);
  if (meta !== undefined) {
    if (!isObject(meta)) throw unfit('"_meta" must be an object');
    contents._meta = plainJson(meta) as NonNullable<ResourceContents['_meta']>;
  }
  return contents;
}

function body(text: unknown, blob: unknown): Pick<ResourceContents, 'text' | 'blob'> {
  if ((text === undefined) === (blob === undefined)) throw unfit('an object needs either "text" or "blob"');
  if (text !== undefined) return { text: textIn('text', text) };
  if (blob instanceof Uint8Array) return { blob: base64(blob) };
  const encoded = textIn('blob', blob);
  if (encoded.length % 4 !== 0 || !BASE64.test(encoded))
    throw unfit('"blob" must be base64; bytes may be given as they are');
  return { blob: encoded };
}

function textIn(field: string, value: unknown): string {
  if (typeof value !== 'string') throw unfit(`"${field}" must be a text`);
  return value;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

function unfit(why: string): Fault {
  return new Fault('E_BAD_RESULT', `Bad resource contents: ${why}`);
}
