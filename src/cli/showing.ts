import type { ContentBlock, Contents } from '../host/client.ts';

/** Content for a person: text as it is, everything else described in a line. */
export function showContent(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type}, ${block.mimeType}, ${bytesOf(block.data)} bytes]`;
    case 'resource':
      return showContents(block.resource);
    case 'resource_link':
      return `[resource link: ${block.title ?? block.name} <${block.uri}>]`;
    default:
      return `[${(block as { type: string }).type}]`;
  }
}

/** What stands behind a URI, for a person. */
export function showContents({ uri, mimeType = 'no type given', text, blob }: Contents): string {
  return text ?? `[binary: ${uri}, ${mimeType}, ${bytesOf(blob ?? '')} bytes]`;
}

/** Lines of two columns, the first as wide as its longest cell. */
export function showTable(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${firstLine(text)}`.trimEnd()).join('\n');
}

/** A stable document for programs. */
export function showJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

function bytesOf(base64: string): number {
  return Buffer.byteLength(base64, 'base64');
}
