/** How every secret begins. The tilde is in no base64 text, so that no random id looks like one. */
export const MARK = 'zq7~';
const WIDTH = 6;
const SHOWN = 60;

/** A text that belongs to one client alone and that no server would make up; every one begins with the same mark. */
export function secretOf(client: number): string {
  return `${MARK}${client.toString(36).padStart(WIDTH, '0')}y`;
}

/** Every secret in a text that is not one's own, with what stands around it; one that was cut short counts as foreign. */
export function foreignIn(text: string, own: string): string[] {
  const found: string[] = [];
  for (let at = text.indexOf(MARK); at !== -1; at = text.indexOf(MARK, at + MARK.length)) {
    if (!text.startsWith(own, at)) found.push(text.slice(Math.max(0, at - SHOWN), at + SHOWN));
  }
  return found;
}

/** Numbers that look random and are the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
