import type { Json } from '../../model/json.ts';
import type { RpcError } from '../../rpc/envelope.ts';

/** The server answered a request with an error: its own number, message and data. */
export class PeerError extends Error {
  override readonly name = 'PeerError';
  readonly code: number;
  readonly data: Json | undefined;

  constructor({ code, message, data }: RpcError) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
