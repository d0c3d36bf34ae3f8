import type { Content } from '../../../model/items.ts';
import type { JsonObject } from '../../../model/json.ts';
import { wrong } from './read.ts';

export type ContentType = Content['type'];

/** Content blocks, those the revision has no word for turned into text that keeps what they say. */
export function writeContent(blocks: readonly Content[], types: readonly ContentType[]): JsonObject[] {
  const sayable = blocks.every((block) => types.includes(block.type));
  const written = sayable ? blocks : blocks.map((block) => (types.includes(block.type) ? block : asText(block)));
  return written as unknown as JsonObject[];
}

export function writeBlock(block: Content, types: readonly ContentType[]): JsonObject {
  return (types.includes(block.type) ? block : asText(block)) as unknown as JsonObject;
}

/** Blocks as they came; a block without a type is refused. */
export function readContent(wire: readonly JsonObject[]): Content[] {
  if (!wire.every((block) => typeof block['type'] === 'string')) throw wrong('content', 'an array of content blocks');
  return wire as unknown as Content[];
}

function asText(block: Content): Content {
  return { type: 'text', text: describe(block) };
}

function describe(block: Content): string {
  switch (block.type) {
    case 'resource_link':
      return `${block.title ?? block.name}: ${block.uri}`;
    case 'audio':
      return `[audio, ${block.mimeType}, ${Math.floor((block.data.length * 3) / 4)} bytes: this protocol revision cannot carry it]`;
    default:
      return `[${block.type}: this protocol revision cannot carry it]`;
  }
}
