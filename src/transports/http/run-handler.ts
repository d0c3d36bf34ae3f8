import { Fault } from '../../model/fault.ts';
import type { Limits } from '../../model/limits.ts';
import type { Log } from '../../model/log.ts';
import { failureText } from '../../rpc/refusal.ts';
import { createErrorId } from './error-id.ts';
import type { Handler, HttpExchange } from './exchange.ts';
import { refuse } from './refuse.ts';

export interface AdapterOptions {
  readonly limits: Pick<Limits, 'unreadBytes' | 'readerMs' | 'callDeadlineMs' | 'headerCount' | 'bodyBytesPerSecond'>;
  readonly log: Log;
}

/** An exchange that whoever opened it can also end. */
export interface OpenExchange extends HttpExchange {
  readonly answered: boolean;
  /** Ends the response where it stands. */
  abort(): void;
}

/**
 * Lets a handler answer an exchange; never throws. A handler that fails, and one whose promise resolves before it
 * answered, leaves no response open.
 */
export function runHandler(handler: Handler, exchange: OpenExchange, log: Log): void {
  try {
    const done = handler(exchange);
    if (done === undefined) return;
    done.then(
      () => {
        if (!exchange.answered) fail(exchange, new Error('The handler ended without an answer'), log);
      },
      (error: unknown) => fail(exchange, error, log),
    );
  } catch (error) {
    fail(exchange, error, log);
  }
}

function fail(exchange: OpenExchange, error: unknown, log: Log): void {
  const { method, path } = exchange;
  try {
    if (error instanceof Fault && error.code === 'E_CLOSED') exchange.abort();
    else if (error instanceof Fault && OF_BODY[error.code] !== undefined && !exchange.answered) unread(exchange, error);
    else {
      const errorId = createErrorId();
      log('error', 'A handler failed on a request', { errorId, method, path, error });
      if (exchange.answered) exchange.abort();
      else exchange.reply(500, failureText(errorId));
    }
  } catch (cause) {
    log('error', 'Cannot answer a failed request', { method, path, error: cause });
  }
}

const OF_BODY: Readonly<Record<string, { readonly status: number; readonly reason: string }>> = {
  E_TOO_LARGE: { status: 413, reason: 'size' },
  E_SLOW_BODY: { status: 408, reason: 'slow' },
};

function unread(exchange: OpenExchange, { code, message, data }: Fault): void {
  const { status = 413, reason = 'size' } = OF_BODY[code] ?? {};
  refuse(exchange, { status, reason, message, data: { code, ...data } });
}

/** The fault of a body over its limit. */
export function bodyTooLarge(limit: number): Fault {
  return new Fault('E_TOO_LARGE', `Cannot read the message: longer than ${limit} bytes`, { data: { limit } });
}

/** The fault of a body that comes too slowly. */
export function bodyTooSlow(limit: number): Fault {
  return new Fault('E_SLOW_BODY', `Cannot read the message: it came slower than ${limit} bytes a second`, {
    data: { limit },
  });
}

/** The fault of a body that will not come any more. */
export function bodyLost(cause?: unknown): Fault {
  return new Fault('E_CLOSED', 'The request ended before its body did', { cause });
}
