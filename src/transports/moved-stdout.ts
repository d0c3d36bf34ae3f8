import fs from 'node:fs';

// What the launcher does with a second process, this process can do itself where its pipes can be opened anew: the real
// stdout becomes a descriptor that only the transport knows and no child inherits, and descriptor 1 becomes stderr.

const STDOUT = 1;
const STDERR = 2;
const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = fs.constants;

let moved: number | undefined;

/** Moves the protocol away from descriptor 1 and tells whether it did; where it cannot, nothing has changed. */
export function moveStdout(): boolean {
  // Elsewhere such an open means something else, or nothing.
  if (process.platform !== 'linux' || moved !== undefined) return false;
  let output: number;
  try {
    if (!fs.fstatSync(STDOUT).isFIFO() || !isPipeOrDevice(STDERR)) return false;
    // To open a pipe nobody reads would wait for ever, unless it may not wait.
    fs.closeSync(openAnew(STDERR, O_NONBLOCK));
    output = openAnew(STDOUT, O_NONBLOCK);
  } catch {
    return false;
  }
  fs.closeSync(STDOUT);
  // The lowest free descriptor is the one that was closed.
  const placed = openAnew(STDERR, 0);
  if (placed !== STDOUT) throw new Error('Cannot guard stdout: something else took its descriptor. Start it again');
  moved = output;
  return true;
}

/** The descriptor of the real stdout, once, where it was moved. */
export function takeMovedStdout(): number | undefined {
  const taken = moved;
  moved = undefined;
  return taken;
}

function openAnew(descriptor: number, flags: number): number {
  return fs.openSync(`/proc/self/fd/${descriptor}`, O_WRONLY | O_NOCTTY | flags);
}

/** A file has a position, which two who opened it do not share. */
function isPipeOrDevice(descriptor: number): boolean {
  const stats = fs.fstatSync(descriptor);
  return stats.isFIFO() || stats.isCharacterDevice();
}
