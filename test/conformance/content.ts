/** A picture of one pixel. */
export const PIXEL = {
  type: 'image',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  mimeType: 'image/png',
} as const;

/** A sound without samples. */
export const SILENCE = {
  type: 'audio',
  data: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=',
  mimeType: 'audio/wav',
} as const;

/** The input of a tool that takes nothing. */
export const NOTHING = { type: 'object', properties: {} } as const;

/** A form with texts that must be filled in. */
export function textForm(...names: readonly string[]): {
  type: string;
  properties: Record<string, { type: string }>;
  required: string[];
} {
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: [...names],
  };
}

/** A block of text. */
export function text(said: string): { type: 'text'; text: string } {
  return { type: 'text', text: said };
}
