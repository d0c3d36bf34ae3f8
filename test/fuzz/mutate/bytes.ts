import type { Random } from '../random.ts';

// Mutations that know nothing: tokens and bytes are dropped, doubled, swapped and spoilt.

const TOKENS = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+|\s+/g;
const STRAY: readonly string[] = ['{', '}', '[', ']', ',', ':', '"', '\\', 'null', '1e', '\t', ' ', '/', "'", '\u00e9'];
/** Bytes that are no UTF-8, or that readers of lines and text stumble over. */
const BAD: readonly (readonly number[])[] = [
  [0xff],
  [0xfe],
  [0x80],
  [0xc0, 0x80],
  [0xc1, 0xbf],
  [0xe0, 0x80, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf0, 0x80, 0x80, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xf8, 0x88, 0x80, 0x80, 0x80],
  [0xe2, 0x82],
  [0xef, 0xbb, 0xbf],
  [0x00],
  [0x0d],
  [0x0a],
  [0x0d, 0x0a],
  [0x0b],
  [0x1b],
  [0x7f],
  [0xc2, 0x85],
  [0xe2, 0x80, 0xa8],
];

/** A text with one of its tokens changed. */
export function changeTokens(text: string, random: Random): string {
  const tokens = text.match(TOKENS) ?? [];
  if (tokens.length === 0) return random.pick(STRAY);
  const at = random.below(tokens.length);
  const token = tokens[at] as string;
  switch (random.below(5)) {
    case 0:
      tokens.splice(at, 1);
      break;
    case 1:
      tokens.splice(at, 0, token);
      break;
    case 2:
      tokens[at] = random.pick(STRAY);
      break;
    case 3:
      tokens.splice(at, 0, random.pick(STRAY));
      break;
    default: {
      const other = random.below(tokens.length);
      tokens[at] = tokens[other] as string;
      tokens[other] = token;
    }
  }
  return tokens.join('');
}

/** Bytes with a few of them changed. */
export function changeBytes(bytes: Buffer, random: Random): Buffer {
  let changed = bytes;
  for (let times = 1 + random.small(3); times > 0; times -= 1) changed = changeOnce(changed, random);
  return changed;
}

function changeOnce(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length + 1);
  const length = random.small(Math.min(16, bytes.length - at));
  switch (random.below(8)) {
    case 0: {
      const flipped = Buffer.from(bytes);
      if (at < flipped.length) flipped[at] = (flipped[at] as number) ^ (1 << random.below(8));
      return flipped;
    }
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + Math.max(1, length))]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]);
    case 3:
      return bytes.subarray(0, at);
    case 4:
      return bytes.subarray(at);
    case 5:
      return Buffer.concat([bytes.subarray(0, at), random.bytes(1 + random.small(8)), bytes.subarray(at)]);
    default:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from(random.pick(BAD)), bytes.subarray(at)]);
  }
}
