import { decodeHeader } from '../../rpc/header-value.ts';
import type { Said } from '../../sessions/door.ts';
import type { HttpExchange } from './exchange.ts';

export const SESSION = 'mcp-session-id';
const REVISION = 'mcp-protocol-version';

/** What the headers of a request say of its message, looked up when somebody asks: most is never asked for. */
export class Beside implements Said {
  readonly #exchange: HttpExchange;

  constructor(exchange: HttpExchange) {
    this.#exchange = exchange;
  }

  get revision(): string | undefined {
    return this.#exchange.header(REVISION);
  }

  get method(): string | undefined {
    return this.#exchange.header('mcp-method');
  }

  get name(): string | null | undefined {
    return mirrored(this.#exchange, 'mcp-name');
  }

  get session(): boolean {
    return this.#exchange.header(SESSION) !== undefined;
  }
}

/** What a header says of the message; `null` when it says nothing that can be read. */
export function mirrored(exchange: HttpExchange, header: string): string | null | undefined {
  const value = exchange.header(header);
  return value === undefined ? undefined : (decodeHeader(value) ?? null);
}
