import type { Json } from '../../model/json.ts';
import { type Log, silent } from '../../model/log.ts';
import type { WireId } from '../../model/peer.ts';
import { addressed, answers, messageOf, readMessage, typeOf } from './http-body.ts';
import { discard, HttpCaller, type HttpTarget } from './http-caller.ts';
import { follow, PACE, type Pace } from './http-following.ts';
import { ACCEPT_BOTH, EVENTS, headersBeside, inTime, nonsense, refusedBy, SESSION, sessionOf } from './http-words.ts';
import type { Ears, Label, Link } from './link.ts';
import { PeerError } from './peer-error.ts';
import { HttpFault } from './verdict.ts';

const MESSAGE_BYTES = 64 * 1024 * 1024;
const NOTICE_MS = 30_000;
const GOODBYE_MS = 2000;

export interface HttpLinkOptions extends HttpTarget {
  /** Longest message taken from the server, in bytes. */
  readonly messageBytes?: number | undefined;
  readonly pace?: Partial<Pace> | undefined;
  readonly log?: Log | undefined;
}

/** Speaks to a server over Streamable HTTP: every message is a request of its own, in a session where there is one. */
export function openHttp(options: HttpLinkOptions): Link {
  return new HttpLink(options);
}

interface Said {
  readonly text: string;
  readonly label: Label;
}

// spec 2025-11-25 basic/transports#streamable-http, 2026-07-28 basic/transports/streamable-http
class HttpLink implements Link {
  readonly mirrors = true;
  readonly acknowledges = true;
  readonly #caller: HttpCaller;
  readonly #limit: number;
  readonly #pace: Pace;
  readonly #log: Log;
  readonly #exchanges = new Map<AbortController, WireId | undefined>();
  #ears: Ears | undefined;
  #closed = false;
  #session: string | undefined;
  /** Settled when the handshake is over: nothing else is said before. */
  #gate: Promise<void> | undefined;
  #greeting: Said | undefined;
  #settling: Said | undefined;
  #renewing: Promise<void> | undefined;
  #renewals = 0;

  constructor(options: HttpLinkOptions) {
    this.#caller = new HttpCaller(options);
    this.#limit = options.messageBytes ?? MESSAGE_BYTES;
    this.#pace = { ...PACE, ...options.pace };
    this.#log = options.log ?? silent;
  }

  open(ears: Ears): void {
    this.#ears = ears;
  }

  send(text: string, label: Label): void {
    if (this.#closed) return;
    // spec 2026-07-28 basic/utilities/cancellation: over HTTP, hanging up is what cancels
    if (label.cancels !== undefined && label.alone) this.#hangUp(label.cancels);
    else if (label.step === 'settles') this.#gate = this.#settle({ text, label });
    else void this.#deliver({ text, label });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const exchange of this.#exchanges.keys()) exchange.abort();
    if (this.#session === undefined) return;
    const headers = { ...headersBeside(this.#settling?.label), [SESSION]: this.#session };
    // spec 2025-11-25 basic/transports#session-management: a server may not let clients end sessions
    await this.#caller
      .call({ method: 'DELETE', headers, signal: AbortSignal.timeout(GOODBYE_MS) })
      .then(discard, () => {});
  }

  #hangUp(id: WireId): void {
    for (const [exchange, request] of this.#exchanges) if (request === id) exchange.abort();
  }

  async #settle(said: Said): Promise<void> {
    this.#settling = said;
    await this.#deliver(said);
    this.#listen(said.label);
  }

  async #deliver(said: Said): Promise<void> {
    const { id, step, cancels } = said.label;
    const exchange = this.#begin(id);
    try {
      if (step === undefined) await this.#gate;
      await this.#exchange(said, exchange.signal, (message) => this.#ears?.message(message));
    } catch (error) {
      if (!exchange.signal.aborted) this.#lose(error, said.label);
    } finally {
      this.#end(exchange);
      if (cancels !== undefined) this.#hangUp(cancels);
    }
  }

  #begin(id: WireId | undefined): AbortController {
    const exchange = new AbortController();
    this.#exchanges.set(exchange, id);
    if (this.#closed) exchange.abort();
    return exchange;
  }

  /** Cuts off what is still open of an exchange. */
  #end(exchange: AbortController): void {
    this.#exchanges.delete(exchange);
    exchange.abort();
  }

  #lose(error: unknown, { id, method = 'a reply' }: Label): void {
    if (this.#closed) return;
    const fault =
      error instanceof HttpFault || error instanceof PeerError
        ? error
        : new HttpFault('broken', `The connection to "${this.#caller.name}" broke`, { cause: error });
    if (id !== undefined) this.#ears?.lost(fault, id);
    else this.#log('warn', `The server did not take ${method}: ${fault.message}`);
  }

  /** Says one message and hears everything said in return. */
  async #exchange(said: Said, signal: AbortSignal, hear: (message: Json) => void): Promise<void> {
    await this.#hearOut(await this.#postInSession(said, signal), said.label, { signal, hear });
  }

  // spec 2025-11-25 basic/transports#session-management: a session that is gone is opened anew
  async #postInSession(said: Said, signal: AbortSignal): Promise<Response> {
    const { step, alone } = said.label;
    const session = alone || step === 'greets' ? undefined : this.#session;
    try {
      return await this.#post(said, signal, session);
    } catch (error) {
      const gone = error instanceof HttpFault && error.verdict === 'gone';
      if (!gone || session === undefined || step !== undefined) throw error;
      await this.#renew(session);
      return this.#post(said, signal, this.#session);
    }
  }

  async #post({ text, label }: Said, signal: AbortSignal, session: string | undefined): Promise<Response> {
    const headers = {
      ...headersBeside(label),
      accept: ACCEPT_BOTH,
      'content-type': 'application/json',
      ...(session === undefined ? {} : { [SESSION]: session }),
    };
    const call = (until: AbortSignal): Promise<Response> =>
      this.#caller.call({ method: 'POST', headers, body: text, signal: until });
    // Whoever waits for an answer has a deadline; for what is not answered there is this one.
    const response = await (label.id === undefined ? inTime(signal, NOTICE_MS, call) : call(signal));
    if (!response.ok) throw await refusedBy(response, { caller: this.#caller, session });
    if (label.step === 'greets') {
      this.#session = sessionOf(response);
      this.#greeting = { text, label };
    }
    return response;
  }

  async #hearOut(response: Response, label: Label, { signal, hear }: Hearing): Promise<void> {
    const { id } = label;
    if (id === undefined) return discard(response);
    const take = (message: Json): boolean => {
      const meant = addressed(message, id);
      hear(meant);
      return answers(meant, id);
    };
    const type = typeOf(response);
    let answered: boolean;
    if (type === 'application/json') answered = take(await readMessage(response, this.#limit));
    else if (type === EVENTS) answered = await this.#follow(response, label, { signal, take });
    else throw await nonsense(response, this.#caller.name);
    if (!answered) throw new HttpFault('broken', `The server at "${this.#caller.name}" ended its response unanswered`);
  }

  /** Reads the stream an answer comes on. Only in a session can it be taken up again when it is cut. */
  #follow(first: Response, label: Label, { signal, take }: Taking): Promise<boolean> {
    return follow(first, {
      limit: this.#limit,
      pace: label.alone ? { ...this.#pace, tries: 0 } : this.#pace,
      signal,
      always: false,
      open: (lastId) => this.#get(label, { lastId, signal }),
      take: (event) => {
        const message = messageOf(event);
        return message !== undefined && take(message);
      },
    });
  }

  /** Hears what the server says of itself, if it offers a stream for that. */
  #listen(label: Label): void {
    const exchange = this.#begin(undefined);
    const { signal } = exchange;
    const run = async (): Promise<void> => {
      await follow(await this.#get(label, { signal }), {
        limit: this.#limit,
        pace: this.#pace,
        signal,
        always: true,
        open: (lastId) => this.#get(label, { lastId, signal }),
        take: (event) => {
          const message = messageOf(event);
          if (message !== undefined) this.#hearAside(message);
          return false;
        },
      });
      this.#log('warn', `The stream of "${this.#caller.name}" cannot be opened again: changes are not heard any more`);
    };
    run()
      .catch((error) => {
        if (!signal.aborted) this.#log('debug', `The server offers no stream: ${(error as Error).message}`);
      })
      .finally(() => this.#end(exchange));
  }

  #hearAside(message: Json): void {
    this.#ears?.message(message);
    // Some servers answer here: nobody has to wait for that answer elsewhere any more.
    for (const [exchange, id] of this.#exchanges) if (id !== undefined && answers(message, id)) exchange.abort();
  }

  async #get(
    label: Label,
    { lastId, signal }: { lastId?: string | undefined; signal: AbortSignal },
  ): Promise<Response> {
    const session = this.#session;
    const response = await this.#caller.call({
      method: 'GET',
      headers: {
        ...headersBeside({ alone: false, revision: label.revision }),
        accept: EVENTS,
        ...(session === undefined ? {} : { [SESSION]: session }),
        ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
      },
      signal,
    });
    if (!response.ok) throw await refusedBy(response, { caller: this.#caller, session });
    if (typeOf(response) === EVENTS) return response;
    await discard(response);
    throw new HttpFault('older', `The server at "${this.#caller.name}" offers no event stream`);
  }

  /** Opens a session in place of one the server forgot; everybody who needs it waits for the same one. */
  async #renew(lost: string): Promise<void> {
    if (this.#session === lost && this.#renewing === undefined) {
      const renewing = this.#greetAgain().finally(() => {
        this.#renewing = undefined;
      });
      this.#renewing = renewing;
      this.#gate = renewing.catch(() => {});
    }
    await this.#renewing;
  }

  async #greetAgain(): Promise<void> {
    if (this.#greeting === undefined || this.#settling === undefined)
      throw new HttpFault('gone', 'The session is gone');
    this.#log('warn', `The server at "${this.#caller.name}" forgot the session: another one is opened`);
    this.#renewals += 1;
    const id = `again-${this.#renewals}`;
    const text = JSON.stringify({ ...JSON.parse(this.#greeting.text), id });
    const exchange = this.#begin(id);
    try {
      const label = { ...this.#greeting.label, id };
      await this.#exchange({ text, label }, exchange.signal, () => {});
      await this.#settle(this.#settling);
    } finally {
      this.#end(exchange);
    }
  }
}

interface Hearing {
  readonly signal: AbortSignal;
  hear(message: Json): void;
}

interface Taking {
  readonly signal: AbortSignal;
  take(message: Json): boolean;
}
