import { type EventReader, type Received, send } from './sending.ts';
import { bodyOf, dueIn, type Turn } from './transcript.ts';

const JSON_TYPE = 'application/json';
const EVENTS = 'text/event-stream';

/** A client of the specification over HTTP: it keeps its session and revision, and hears what is said unasked. */
export class Session {
  readonly #endpoint: URL;
  readonly #headers: Record<string, string> = {};
  readonly #streams: EventReader[] = [];
  readonly #unasked: string[] = [];
  readonly #answers: string[] = [];
  #wake: () => void = () => {};
  #closed = false;

  constructor(endpoint: URL) {
    this.#endpoint = endpoint;
  }

  async take(turn: Turn): Promise<string[]> {
    const body = bodyOf(turn.says.join('\n'));
    const headers = { ...this.#headers, 'content-type': JSON_TYPE, accept: `${JSON_TYPE}, ${EVENTS}` };
    const response = await send(this.#endpoint, { method: 'POST', headers, body });
    this.#listen(response, this.#answers);
    const due = dueIn(turn);
    while (this.#unasked.length + this.#answers.length < due) await new Promise<void>((wake) => this.#wakeWith(wake));
    if (body.includes('"notifications/initialized"')) await this.#openStream();
    const said = due === 0 ? [] : [...this.#unasked.splice(0), ...this.#answers.splice(0)];
    this.#remember(response, said);
    return said;
  }

  close(): void {
    this.#closed = true;
    for (const stream of this.#streams) stream.close();
  }

  /** Nothing was said but what was expected. */
  assertQuiet(): void {
    const rest = [...this.#unasked, ...this.#answers];
    if (rest.length > 0) throw new Error(`The server said more than was expected: ${rest.join('\n')}`);
  }

  #wakeWith(wake: () => void): void {
    this.#wake = wake;
  }

  #remember({ headers }: Received, said: readonly string[]): void {
    const id = headers['mcp-session-id'];
    if (typeof id !== 'string') return;
    const revision = /"protocolVersion":"([^"]+)"/.exec(said.at(-1) ?? '')?.[1];
    Object.assign(this.#headers, { 'mcp-session-id': id, 'mcp-protocol-version': revision ?? '' });
  }

  async #openStream(): Promise<void> {
    if (this.#headers['mcp-session-id'] === undefined) return;
    const headers = { ...this.#headers, accept: EVENTS };
    const response = await send(this.#endpoint, { method: 'GET', headers, body: undefined });
    if (response.stream === undefined) throw new Error(`There is no stream to listen to: ${response.status}`);
    this.#listen(response, this.#unasked);
  }

  #listen({ body, stream }: Received, heard: string[]): void {
    if (body !== '') this.#hear(body, heard);
    if (stream === undefined) return;
    this.#streams.push(stream);
    void this.#follow(stream, heard);
  }

  async #follow(stream: EventReader, heard: string[]): Promise<void> {
    const opening = 'event message ';
    try {
      for (;;) {
        const event = await stream.next();
        if (event !== opening) this.#hear(event.startsWith(opening) ? event.slice(opening.length) : event, heard);
      }
    } catch {
      // The stream ended: whether too early shows in what is missing.
    }
  }

  #hear(message: string, heard: string[]): void {
    if (this.#closed) return;
    heard.push(message);
    this.#wake();
  }
}
