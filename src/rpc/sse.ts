/** One server-sent event. Each part is one line on the wire; `data` never holds a newline. */
export interface SseEvent {
  readonly data: string;
  readonly id?: string;
  readonly event?: string;
  readonly retryMs?: number;
}

const DIGITS = /^\d+$/;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** The text of one event; throws a `TypeError` on a part that would not stay on its line. */
export function eventText({ data, id, event, retryMs }: SseEvent): string {
  let text = '';
  if (id !== undefined) text += `id: ${withoutNull(oneLine('id', id))}\n`;
  if (event !== undefined) text += `event: ${oneLine('event', event)}\n`;
  if (retryMs !== undefined) text += `retry: ${retryMs}\n`;
  return `${text}data: ${oneLine('data', data)}\n\n`;
}

/** The text of a line the reader ignores. */
export function commentText(text: string): string {
  return `: ${oneLine('comment', text)}\n\n`;
}

function oneLine(part: string, text: string): string {
  if (!text.includes('\n') && !text.includes('\r')) return text;
  throw new TypeError(`Cannot send the event: its ${part} holds a line break`);
}

/** A reader ignores an id with a null character in it. */
function withoutNull(id: string): string {
  if (!id.includes('\0')) return id;
  throw new TypeError('Cannot send the event: its id holds a null character');
}

/** One event, as a reader sees it. */
export interface ReadEvent {
  readonly data: string;
  /** `message` unless the sender said otherwise. */
  readonly event: string;
  /** The last id seen so far, on this event or an earlier one. */
  readonly id: string | undefined;
}

/** Thrown when an event grows past the reader's limit; the stream cannot be read any further. */
export class EventTooLong extends Error {
  override readonly name = 'EventTooLong';
}

/**
 * Reads server-sent events from chunks cut anywhere, as browsers do: CR, LF and CRLF end a line, several data lines are
 * joined by a newline, an event without data is none, and what the stream ends in without a blank line is dropped.
 */
export class SseReader {
  readonly #limit: number;
  readonly #decoder = new TextDecoder('utf-8');
  #pieces: string[] = [];
  #kept = 0;
  #skipFeed = false;
  #data: string[] = [];
  #size = 0;
  #event = '';
  /** The id of the event being read takes effect when the event ends. */
  #id: string | undefined;
  #lastId: string | undefined;
  #retryMs: number | undefined;

  /** `limit` bounds the characters held for one event. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The id to come back with: of the last event that ended, data or not. */
  get lastId(): string | undefined {
    return this.#lastId;
  }

  /** How long the sender wants a reader to wait before it comes back, if it said so. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** Takes the next bytes and returns the events that ended in them. */
  push(chunk: Uint8Array): ReadEvent[] {
    const events: ReadEvent[] = [];
    // The decoder keeps half a character for the next chunk and drops a byte order mark at the start.
    const text = this.#decoder.decode(chunk, { stream: true });
    if (text === '') return events;
    let start = this.#skipFeed && text.charCodeAt(0) === LINE_FEED ? 1 : 0;
    this.#skipFeed = false;
    const breaks = new Breaks(text);
    for (let end = breaks.after(start); end < text.length; end = breaks.after(start)) {
      this.#line(this.#finish(text.slice(start, end)), events);
      start = end + 1;
      if (text.charCodeAt(end) !== CARRIAGE_RETURN) continue;
      if (start === text.length) this.#skipFeed = true;
      else if (text.charCodeAt(start) === LINE_FEED) start += 1;
    }
    this.#keep(text.slice(start));
    return events;
  }

  /** The line that ends with this piece. */
  #finish(piece: string): string {
    if (this.#pieces.length === 0) return piece;
    const line = this.#pieces.join('') + piece;
    this.#pieces = [];
    this.#kept = 0;
    return line;
  }

  #keep(piece: string): void {
    if (piece === '') return;
    this.#pieces.push(piece);
    this.#kept += piece.length;
    if (this.#kept + this.#size > this.#limit) throw this.#tooLong();
  }

  #line(line: string, events: ReadEvent[]): void {
    const colon = line.indexOf(':');
    if (line === '') this.#dispatch(events);
    else if (colon === -1) this.#field(line, '');
    else if (colon > 0) this.#field(line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1));
  }

  #field(name: string, value: string): void {
    if (name === 'data') {
      this.#data.push(value);
      this.#size += value.length + 1;
      if (this.#size > this.#limit) throw this.#tooLong();
    } else if (name === 'event') this.#event = value;
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && DIGITS.test(value)) this.#retryMs = Number(value);
  }

  #dispatch(events: ReadEvent[]): void {
    if (this.#id !== undefined) this.#lastId = this.#id;
    if (this.#data.length > 0) {
      const event = this.#event === '' ? 'message' : this.#event;
      events.push({ data: this.#data.join('\n'), event, id: this.#lastId });
    }
    this.#data = [];
    this.#size = 0;
    this.#event = '';
  }

  #tooLong(): EventTooLong {
    return new EventTooLong(`Cannot read the event: longer than ${this.#limit} characters`);
  }
}

/** Finds line breaks in one pass: each kind is searched for again only when the last find is behind. */
class Breaks {
  readonly #text: string;
  #feed = -1;
  #carriage = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** The place of the first break from here on; the length of the text when there is none. */
  after(start: number): number {
    if (this.#feed < start) this.#feed = this.#find('\n', start);
    if (this.#carriage < start) this.#carriage = this.#find('\r', start);
    return Math.min(this.#feed, this.#carriage);
  }

  #find(character: string, start: number): number {
    const place = this.#text.indexOf(character, start);
    return place === -1 ? this.#text.length : place;
  }
}
