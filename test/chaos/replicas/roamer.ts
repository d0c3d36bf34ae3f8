import { isObject, type Json, type JsonObject } from '../../../src/model/json.ts';
import type { HeardEvent } from '../load/event-reader.ts';
import type { Outcome, Sending } from '../load/http-wire.ts';
import { type Asked, type Errand, Talker } from '../load/talker.ts';
import type { History } from './history.ts';
import { type Places, type RoamingExchange, RoamingWire } from './roaming-wire.ts';

/** How a request ended for its client. */
export type End = 'answered' | 'refused' | 'cut' | 'unsure' | 'left' | 'gap' | 'silent' | 'forgotten';

/** What came of one request. */
export interface Attempt {
  readonly end: End;
  readonly answer?: JsonObject;
  /** The code of the error, where it is one. */
  readonly code?: string | undefined;
  /** How long to wait before trying again, where the server says so: it has not done anything then. */
  readonly waitMs?: number | undefined;
}

export interface Wish extends Asked {
  /** Doing it twice does no harm, so that it may be sent again. */
  readonly idempotent?: boolean;
  /** A name for the kind of request. */
  readonly what?: string;
  /** Takes no part of the store. */
  readonly stateless?: boolean;
}

interface Report {
  id: string;
  end: End;
  code?: string | undefined;
  waitMs?: number | undefined;
}

export interface RoamingErrand extends Errand, Wish {
  readonly report: Report;
}

export interface RoamerOptions {
  readonly name: string;
  readonly secret: string;
  readonly revision: string;
  readonly token: string;
  readonly places: Places;
  readonly history: History;
  readonly random: () => number;
}

/** Longest time without an answer before it counts as lost. */
export const PATIENCE_MS = 30_000;
/** A client hangs up and comes back, or asks elsewhere, after so long a silence. */
const IMPATIENT_MS = 2500;
const LONGEST_WAIT_MS = 1000;
/** Refusals that a fault may cause; whether this one did is for the checker to say. */
const FORGIVEN = ['E_CLOSED', 'E_STORE_AWAY', 'E_BUSY', 'E_UNKNOWN_SESSION', 'E_UNKNOWN_TASK', 'E_UNANSWERED'];

/** A client that finds another replica for every request, and writes down everything it says and hears. */
export abstract class Roamer extends Talker {
  readonly wire: RoamingWire;
  readonly history: History;
  protected closed = false;

  constructor(options: RoamerOptions) {
    super({ ...options, patienceMs: PATIENCE_MS, forgives: FORGIVEN });
    this.history = options.history;
    this.wire = new RoamingWire({ ...options, ledger: this.ledger });
  }

  /** Opens anew where the server forgot the client, or its stream broke. */
  abstract ready(): Promise<void>;

  /** Sends a request and resolves when it ended, however it did. */
  protected abstract carry(errand: RoamingErrand): Promise<void>;

  /** Asks once, and says how that ended. */
  async attempt(method: string, params: JsonObject, wish: Wish = {}): Promise<Attempt> {
    const report: Report = { id: '', end: 'silent' };
    const idempotent = wish.idempotent ?? method !== 'tools/call';
    const answer = await super.request(method, params, { ...wish, idempotent, report } as Wish);
    const { id, end, code, waitMs } = report;
    if (answer !== undefined) return { end: 'answered', answer, code: codeOf(answer), waitMs };
    if (end === 'silent') this.history.add(this.name, { kind: 'silent', id });
    return { end, code, waitMs };
  }

  override async request(method: string, params: JsonObject = {}, asked: Asked = {}): Promise<JsonObject | undefined> {
    return (await this.attempt(method, params, asked)).answer;
  }

  protected deliver(errand: Errand): void {
    const { message, due, report, what, stateless = false } = errand as RoamingErrand;
    report.id = String(due.id);
    const named = what ?? String(message['method']);
    this.history.add(this.name, { kind: 'sent', id: report.id, what: named, stateless });
    void this.carry(errand as RoamingErrand);
  }

  /** Nothing more comes of a request. */
  protected end({ due, report }: RoamingErrand, end: Exclude<End, 'answered' | 'silent'>): void {
    if (due.answered) return;
    report.end = end;
    if (end === 'refused' || end === 'forgotten') {
      const code = report.code ?? 'none';
      this.history.add(this.name, { kind: 'answered', id: report.id, code });
    } else this.history.add(this.name, { kind: end, id: report.id });
    this.ledger.excuse(due.id);
    this.ledger.giveUp(due);
  }

  /** Makes what it can of a response that is no stream. */
  protected settle(errand: RoamingErrand, { status, headers, text, whole }: Outcome): void {
    const { report, due } = errand;
    const refused = status >= 400 && whole;
    if (!refused) {
      if (whole && text !== '') this.take(text);
      this.end(errand, 'cut');
      return;
    }
    const body = read(text);
    report.code = codeOf(body) ?? `HTTP ${status}`;
    const retryAfter = headers['retry-after'];
    if (retryAfter !== undefined) report.waitMs = Math.min(LONGEST_WAIT_MS, Number(retryAfter) * 1000);
    if (body['id'] === due.id) this.take(text);
    else {
      this.ledger.scan(text);
      this.end(errand, status === 404 ? 'forgotten' : 'refused');
    }
  }

  /** Sends, and hangs up after too long a silence where that does no harm. */
  protected impatiently(sending: Sending, mayLeave: () => boolean): RoamingExchange & { readonly left: () => boolean } {
    let left = false;
    let timer: NodeJS.Timeout | undefined;
    const { onEvent } = sending;
    const wait = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (!mayLeave()) return;
        left = true;
        exchange.cut();
      }, IMPATIENT_MS);
    };
    const heard = (event: HeardEvent): void => {
      wait();
      onEvent?.(event);
    };
    const exchange = this.wire.send({ ...sending, onEvent: heard });
    wait();
    const outcome = exchange.outcome.finally(() => clearTimeout(timer));
    return { outcome, cut: exchange.cut, left: () => left };
  }

  protected override take(text: string): void {
    const message = read(text);
    for (const part of Array.isArray(message) ? (message as Json[]) : [message]) {
      if (!isObject(part) || part['method'] !== undefined || part['id'] === undefined) continue;
      const code = codeOf(part);
      this.history.add(this.name, {
        kind: 'answered',
        id: String(part['id']),
        ...(code === undefined ? {} : { code }),
      });
    }
    super.take(text);
  }
}

/** The code of an error; `undefined` for a result. A tool that says it failed counts as one. */
export function codeOf({ error, result }: JsonObject): string | undefined {
  if (error === undefined) return isObject(result) && result['isError'] === true ? 'isError' : undefined;
  const data = isObject(error) ? error['data'] : undefined;
  return isObject(data) && typeof data['code'] === 'string' ? data['code'] : 'none';
}

function read(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return {};
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
