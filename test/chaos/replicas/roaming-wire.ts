import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { EventReader } from '../load/event-reader.ts';
import type { Outcome, Sending } from '../load/http-wire.ts';
import type { Ledger } from '../load/ledger.ts';

/** Where replicas are to be found now. */
export interface Places {
  origins(): readonly string[];
}

export interface RoamingOptions {
  readonly places: Places;
  readonly token: string;
  readonly ledger: Ledger;
  readonly random: () => number;
}

export interface RoamingExchange {
  readonly outcome: Promise<Outcome>;
  cut(): void;
}

const NONE: Outcome = { status: 0, headers: {}, streamed: false, text: '', whole: false };
const TRIES_AGAIN_MS = 50;
/** How long somebody who finds no replica at all goes on looking. */
const LOOKS_FOR_MS = 20_000;

/** One request on its way to a replica that takes it. */
class Journey {
  over = false;
  #asking: ClientRequest | undefined;

  go(asking: ClientRequest): ClientRequest {
    this.#asking = asking;
    return asking;
  }

  cut(): void {
    this.over = true;
    this.#asking?.destroy();
  }
}

/**
 * The connections of one client, as a balancer without a memory makes them: each request goes to a replica at random,
 * and to another one only where the connection was refused, so that nothing is ever sent twice.
 */
export class RoamingWire {
  readonly #options: RoamingOptions;
  readonly #open = new Set<() => void>();
  #closed = false;

  constructor(options: RoamingOptions) {
    this.#options = options;
  }

  send(sending: Sending): RoamingExchange {
    const journey = new Journey();
    const cut = (): void => journey.cut();
    this.#open.add(cut);
    return { outcome: this.#go(sending, journey).finally(() => this.#open.delete(cut)), cut };
  }

  close(): void {
    this.#closed = true;
    for (const cut of this.#open) cut();
  }

  /** Looks for a replica that takes the connection, for a while. */
  async #go(sending: Sending, journey: Journey): Promise<Outcome> {
    const until = performance.now() + LOOKS_FOR_MS;
    while (!journey.over && !this.#closed && performance.now() < until) {
      const outcome = await this.#round(sending, journey);
      if (outcome !== undefined) return outcome;
      await new Promise((resolve) => setTimeout(resolve, TRIES_AGAIN_MS));
    }
    return NONE;
  }

  async #round(sending: Sending, journey: Journey): Promise<Outcome | undefined> {
    for (const origin of this.#shuffled()) {
      if (journey.over) break;
      const outcome = await this.#outcome(journey.go(this.#ask(origin, sending)), sending);
      if (outcome !== undefined) return outcome;
    }
    return undefined;
  }

  #shuffled(): string[] {
    const { places, random } = this.#options;
    const origins = [...places.origins()];
    const from = Math.floor(random() * origins.length);
    return [...origins.slice(from), ...origins.slice(0, from)];
  }

  #ask(origin: string, { method, headers = {}, body, path = '/mcp' }: Sending): ClientRequest {
    const length: Record<string, string> =
      body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const authorization = `Bearer ${this.#options.token}`;
    const asking = request(new URL(path, origin), {
      method,
      agent: false,
      headers: { ...length, authorization, ...headers },
    });
    return asking.end(body);
  }

  /** What came of it; `undefined` where nobody took the connection. */
  #outcome(asking: ClientRequest, sending: Sending): Promise<Outcome | undefined> {
    return new Promise((resolve) => {
      let begun = false;
      asking.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED') resolve(undefined);
      });
      asking.on('close', () => {
        if (!begun) resolve(NONE);
      });
      asking.on('response', (response) => {
        begun = true;
        this.#options.ledger.scan(response.rawHeaders.join('\n'));
        sending.onHead?.(response);
        read(response, sending, resolve);
      });
    });
  }
}

function read(response: IncomingMessage, { onEvent }: Sending, resolve: (outcome: Outcome) => void): void {
  const streamed = response.headers['content-type'] === 'text/event-stream';
  const reader = new EventReader();
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    if (!streamed) text += chunk;
    else for (const event of reader.push(chunk)) onEvent?.(event);
  });
  response.on('error', () => {});
  response.on('close', () => {
    const { statusCode: status = 0, headers, complete: whole } = response;
    resolve({ status, headers, streamed, text, whole });
  });
}
