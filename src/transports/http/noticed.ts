import type { Principal } from '../../model/peer.ts';
import type { Handler, HttpExchange } from './exchange.ts';

/** A request that was turned away, for whoever keeps account of such. */
export interface TurnedAway {
  readonly outcome: 'unauthorized' | 'forbidden' | 'limited';
  /** The method and the path. */
  readonly item: string;
  readonly remote: string;
  readonly principal: Principal | undefined;
}

const OUTCOMES: ReadonlyMap<number, TurnedAway['outcome']> = new Map([
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [429, 'limited'],
]);

/** Tells of every request that is turned away for who makes it or how often. */
export function noticing(handler: Handler, told: (refusal: TurnedAway) => void): Handler {
  return (exchange) => {
    const reply: HttpExchange['reply'] = exchange.reply.bind(exchange);
    exchange.reply = (status, body, headers) => {
      const outcome = OUTCOMES.get(status);
      if (outcome !== undefined) {
        const { method, path, remote, principal } = exchange;
        told({ outcome, item: `${method} ${path}`, remote, principal });
      }
      reply(status, body, headers);
    };
    return handler(exchange);
  };
}
