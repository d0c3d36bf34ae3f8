import type { Json } from '../../model/json.ts';
import type { RpcError } from '../../rpc/envelope.ts';
import type { Verdict } from './verdict.ts';

/** The server answered a request with an error: its own number, message and data. */
export class PeerError extends Error {
  override readonly name = 'PeerError';
  readonly code: number;
  readonly data: Json | undefined;
  /** What the way the answer came says of the server, where it says something. */
  readonly verdict: Verdict | undefined;

  constructor({ code, message, data }: RpcError, verdict?: Verdict) {
    super(message);
    this.code = code;
    this.data = data;
    this.verdict = verdict;
  }
}
