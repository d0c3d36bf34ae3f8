import { LIMITS, type LimitName } from '../model/limits.ts';

/** Whether there is a limit of this name. */
export function isLimit(name: string): name is LimitName {
  return Object.hasOwn(LIMITS, name);
}

/** The limits whose names begin alike, however they are written. */
export function limitsLike(name: string): string[] {
  const asked = name.toLowerCase().replaceAll('_', '');
  if (asked.length < 3) return [];
  return Object.keys(LIMITS).filter((known) => {
    const text = known.toLowerCase();
    return text.startsWith(asked) || asked.startsWith(text);
  });
}
