import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { ToolError } from '../../../model/fault.ts';
import type { Content } from '../../../model/items.ts';
import type { Root } from '../../../sandbox/roots.ts';
import { mimeTypeOf } from './mime-type.ts';

export interface PageAsk {
  /** The byte to start at. */
  readonly offset: number;
  /** Most bytes to give. */
  readonly length: number;
}

/** Reads a part of a file. Text that would be cut inside a character is cut before it. */
export async function readPage(root: Root, path: string, { offset, length }: PageAsk): Promise<{ content: Content[] }> {
  const file = await root.openFile(path);
  try {
    const { size } = await file.stat();
    if (offset > size) throw new ToolError(`Cannot read "${path}" from byte ${offset}: it has ${size} bytes`);
    const { bytes, more } = await readBytes(file, offset, length);
    const text = textOf(bytes, more);
    const read = text === undefined ? bytes.length : Buffer.byteLength(text);
    const content: Content[] = [text === undefined ? blobOf(path, bytes) : { type: 'text', text }];
    const next = offset + read;
    if (offset > 0 || more) {
      const going = more ? `; go on with offset ${next}` : '';
      content.push({ type: 'text', text: `Bytes ${offset} to ${next} of ${Math.max(size, next)}${going}` });
    }
    return { content };
  } finally {
    await file.close();
  }
}

/** Reads by what there is and not by what the file claims to hold, and looks one byte further. */
async function readBytes(file: FileHandle, offset: number, length: number): Promise<{ bytes: Buffer; more: boolean }> {
  const buffer = Buffer.alloc(Math.min(length + 1, Math.max((await file.stat()).size - offset, 0) + 1));
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  const size = Math.min(filled, length);
  return { bytes: buffer.subarray(0, size), more: filled > length };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what text does not hold
const NOT_TEXT = /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/;

/** The text the bytes are, without a character that more bytes would complete; `undefined` when they are none. */
export function textOf(bytes: Buffer, more: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: more });
    const stuck = text === '' && bytes.length > 0;
    return stuck || NOT_TEXT.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

function blobOf(path: string, bytes: Buffer): Content {
  const uri = `file:///${path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .map(encodeURIComponent)
    .join('/')}`;
  const resource = { uri, mimeType: mimeTypeOf(basename(path)), blob: bytes.toString('base64') };
  return { type: 'resource', resource };
}
