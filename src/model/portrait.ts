import { isSecretName, REDACTED, type Redact } from './redact.ts';

// What foreign code throws may be anything: a cycle, a getter that throws, megabytes. Drawing it never fails, takes a
// bounded time, and shows no secret.

export interface PortraitOptions {
  readonly redact: Redact;
  /** Most characters of text in all of it. */
  readonly room: number;
}

const DEEPEST = 8;
const MOST_MEMBERS = 50;
const LONGEST_KEY = 100;
/** A secret that stands across the cut must be seen whole to be known. */
const BEYOND = 1024;

/** The value as bounded JSON without secrets, for whoever reads logs. Never throws. */
export function portray(value: unknown, options: PortraitOptions): unknown {
  return new Portrait(options).draw(value, 0);
}

/** A text cut to a length, never between the halves of a character, with secrets taken out. Never throws. */
export function portrayText(text: string, { redact, room }: PortraitOptions): string {
  const shown = redact(text.length > room + BEYOND ? text.slice(0, room + BEYOND) : text);
  if (shown.length <= room && text.length <= room + BEYOND) return shown;
  return `${shown.slice(0, room).replace(/[\ud800-\udbff]$/, '')}…`;
}

const PLAIN = /^[ -~]*$/;
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A text of one line without anything a terminal or an editor would obey: every such character is spelled out. */
export function escapeHidden(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(HIDDEN, (character) => {
    const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
}

class Portrait {
  readonly #redact: Redact;
  readonly #above = new Set<object>();
  #room: number;

  constructor({ redact, room }: PortraitOptions) {
    this.#redact = redact;
    this.#room = room;
  }

  draw(value: unknown, depth: number): unknown {
    try {
      return this.#draw(value, depth);
    } catch {
      return '[unreadable]';
    }
  }

  #draw(value: unknown, depth: number): unknown {
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'number':
        return Number.isFinite(value) ? value : String(value);
      case 'bigint':
      case 'symbol':
        return this.#text(value.toString());
      case 'function':
        return '[function]';
      case 'object':
        return value === null ? null : this.#object(value, depth);
      default:
        return value;
    }
  }

  #object(value: object, depth: number): unknown {
    if (this.#above.has(value)) return '[circular]';
    if (depth >= DEEPEST || this.#room <= 0) return '[…]';
    this.#above.add(value);
    try {
      if (value instanceof Error) return this.#error(value, depth);
      if (Array.isArray(value)) return this.#list(value, depth);
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? String(value) : value.toISOString();
      if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
      return this.#members(value, Object.keys(value), depth);
    } finally {
      this.#above.delete(value);
    }
  }

  /** What an error says first, then how it came about. */
  #error(error: Error, depth: number): unknown {
    const own = Object.keys(error).filter((key) => !['stack', 'cause', 'errors'].includes(key));
    const keys = new Set(['name', 'message', ...own, 'stack', 'cause', 'errors']);
    return this.#members(error, [...keys], depth);
  }

  #list(values: readonly unknown[], depth: number): unknown[] {
    const drawn = Array.from({ length: Math.min(values.length, MOST_MEMBERS) }, (_, at) =>
      this.draw(read(values, at), depth + 1),
    );
    return values.length > MOST_MEMBERS ? [...drawn, `[${values.length - MOST_MEMBERS} more]`] : drawn;
  }

  #members(value: object, keys: readonly string[], depth: number): Record<string, unknown> {
    const drawn: Record<string, unknown> = Object.create(null);
    for (const key of keys.slice(0, MOST_MEMBERS)) {
      const member = read(value, key);
      if (member === undefined) continue;
      drawn[this.#key(key)] = isSecretName(key) ? hidden(member) : this.draw(member, depth + 1);
    }
    if (keys.length > MOST_MEMBERS) drawn['…'] = `[${keys.length - MOST_MEMBERS} more]`;
    return drawn;
  }

  #key(key: string): string {
    return key.length > LONGEST_KEY ? this.#text(key.slice(0, LONGEST_KEY)) : this.#redact(key);
  }

  #text(text: string): string {
    if (this.#room <= 0) return text === '' ? text : '…';
    const shown = portrayText(text, { redact: this.#redact, room: this.#room });
    this.#room -= shown.length;
    return shown;
  }
}

/** That there is a secret may be known, and also that there is none. */
function hidden(value: unknown): unknown {
  return value === null || typeof value === 'boolean' || value === '' ? value : REDACTED;
}

function read(value: object, key: string | number): unknown {
  try {
    return (value as Record<string | number, unknown>)[key];
  } catch {
    return '[unreadable]';
  }
}
