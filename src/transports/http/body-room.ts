/** Most bytes kept for bodies to come, and the longest room that is. */
const KEPT_BYTES = 4 * 1024 * 1024;
const LONGEST_KEPT = KEPT_BYTES / 2;

/** How much more room than what came is made: a client must send something to have memory taken for it. */
const AHEAD = 16;

const spares: Buffer[] = [];
let kept = 0;
let taught = false;

/** Room for a body of which `size` bytes of `length` are here: at least for those. What it holds is anybody's. */
export function takeRoom(size: number, length: number): Buffer {
  const at = spares.findIndex((spare) => spare.length >= length);
  if (at === -1) {
    teachAllocator();
    return Buffer.allocUnsafeSlow(Math.min(length, size * AHEAD));
  }
  const [spare] = spares.splice(at, 1) as [Buffer];
  kept -= spare.length;
  return spare;
}

/**
 * Makes a room nobody uses, once. When it is collected, the allocator of the C library learns to keep that much freed
 * memory: otherwise it gives the chunks of each long body back to the system, and takes them anew page by page.
 */
function teachAllocator(): void {
  if (!taught) Buffer.allocUnsafeSlow(KEPT_BYTES);
  taught = true;
}

/** Takes back room that nobody looks at any more, for the next body: making it costs more than filling it. */
export function giveRoom(room: Buffer): void {
  if (room.length > LONGEST_KEPT) return;
  spares.push(room);
  kept += room.length;
  while (kept > KEPT_BYTES) kept -= spares.shift()?.length ?? 0;
}
