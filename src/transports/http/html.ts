/** Text that is HTML already. Only `html` and `trusted` make it. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Html[];

/** Writes HTML; every value put into it is escaped unless it is HTML itself. */
export function html(pieces: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(pieces.reduce((text, piece, index) => text + show(values[index - 1] ?? '') + piece));
}

/** Takes text of our own as HTML. */
export function trusted(text: string): Html {
  return new Html(text);
}

function show(value: Part): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return escapeHtml(String(value));
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

// Control characters and the marks that turn the direction of text could make a page say what it does not.
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function escapeHtml(text: string): string {
  return text
    .replace(UNSEEN, (mark) => (mark === '\n' || mark === '\t' ? mark : '\ufffd'))
    .replace(/[&<>"']/g, (mark) => ESCAPES[mark] ?? mark);
}
