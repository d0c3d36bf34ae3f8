import type { Json } from '../model/json.ts';

/** Makes a value safe to share among readers. */
export function freeze<T extends Json>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) if (member !== undefined) freeze(member);
    Object.freeze(value);
  }
  return value;
}
