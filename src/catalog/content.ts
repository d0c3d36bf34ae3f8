import type { Content, ResourceContents } from '../model/items.ts';
import { isObject } from '../model/json.ts';

const STRINGS = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource: [],
  resource_link: ['uri', 'name'],
} as const satisfies Record<Content['type'], readonly string[]>;

/** Whether a value is a content block: a known `type` with the fields it requires. */
export function isContent(value: unknown): value is Content {
  return contentProblem(value) === undefined;
}

/** What keeps a value from being a content block, as the end of a sentence; `undefined` when it is one. */
export function contentProblem(value: unknown): string | undefined {
  if (!isObject(value)) return 'is not an object';
  const type = value['type'];
  if (typeof type !== 'string' || !Object.hasOwn(STRINGS, type)) {
    return `has no known type: use one of ${Object.keys(STRINGS).join(', ')}`;
  }
  for (const field of STRINGS[type as Content['type']]) {
    if (typeof value[field] !== 'string') return `of type "${type}" needs a text in "${field}"`;
  }
  if (type === 'resource' && !isContents(value['resource'])) {
    return 'of type "resource" needs a "resource" with "uri" and either "text" or "blob"';
  }
  return undefined;
}

function isContents(value: unknown): value is ResourceContents {
  if (!isObject(value) || typeof value['uri'] !== 'string') return false;
  const { text, blob } = value;
  return typeof (text ?? blob) === 'string' && (text === undefined || blob === undefined);
}
