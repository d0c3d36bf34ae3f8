import { ArithmeticTrouble } from './numbers.ts';

export type Token =
  | { readonly kind: 'number'; readonly value: number; readonly at: number }
  | { readonly kind: 'name'; readonly text: string; readonly at: number }
  | { readonly kind: 'sign'; readonly text: string; readonly at: number }
  | { readonly kind: 'end'; readonly text: ''; readonly at: number };

// Each alternative starts with characters no other starts with, so the time it takes is linear.
const TOKEN = /\s*(?:(\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)|([a-z]\w*)|(\*\*|[-+*/%^(),]))/iy;

/** Cuts an expression into its tokens. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match === null) throw new ArithmeticTrouble(`Cannot read the expression at character ${from + 1}`);
    const [whole, number, name, sign = ''] = match;
    const at = from + whole.length - whole.trimStart().length + 1;
    if (number !== undefined) tokens.push({ kind: 'number', value: Number(number), at });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name.toLowerCase(), at });
    else tokens.push({ kind: 'sign', text: sign === '**' ? '^' : sign, at });
  }
  tokens.push({ kind: 'end', text: '', at: end + 1 });
  return tokens;
}
