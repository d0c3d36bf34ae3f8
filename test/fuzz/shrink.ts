/** Longest time spent on making one input smaller. */
const PATIENCE_MS = 20_000;

/** Makes an input smaller for as long as `fails` says it still fails and there is patience left. */
export async function shrink(
  input: Buffer,
  fails: (smaller: Buffer) => Promise<boolean>,
  tries = 600,
): Promise<Buffer> {
  let left = tries;
  const end = performance.now() + PATIENCE_MS;
  let smallest = input;
  const attempt = async (candidate: Buffer): Promise<boolean> => {
    if (left <= 0 || performance.now() > end || candidate.length >= smallest.length) return false;
    left -= 1;
    if (!(await fails(candidate))) return false;
    smallest = candidate;
    return true;
  };
  await dropLines(linesOf(smallest), attempt);
  for (let size = Math.ceil(smallest.length / 2); size >= 1 && left > 0; size = Math.floor(size / 2)) {
    for (let at = 0; at < smallest.length && left > 0; ) {
      const cut = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + size)]);
      if (!(await attempt(cut))) at += size;
    }
  }
  return smallest;
}

type Attempt = (candidate: Buffer) => Promise<boolean>;

/** Whole lines first: most inputs are many lines, of which one is to blame. */
async function dropLines(lines: readonly Buffer[], attempt: Attempt): Promise<void> {
  let kept = [...lines];
  for (let size = Math.ceil(kept.length / 2); size >= 1 && kept.length > 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < kept.length; ) {
      const fewer = [...kept.slice(0, at), ...kept.slice(at + size)];
      if (fewer.length > 0 && (await attempt(Buffer.concat(fewer)))) kept = fewer;
      else at += size;
    }
  }
}

function linesOf(input: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let at = input.indexOf(10); at !== -1; at = input.indexOf(10, start)) {
    lines.push(input.subarray(start, at + 1));
    start = at + 1;
  }
  if (start < input.length) lines.push(input.subarray(start));
  return lines;
}
