import type { Eventually } from '../model/json.ts';
import type { Answer, Ask, Operation, Verb } from '../model/verbs.ts';
import type { Turn } from './turn.ts';

/** One handler per verb; leaving one out does not compile. */
export type Handlers = { readonly [V in Verb]: (ask: Ask<V>, turn: Turn) => Eventually<Answer<V>> };

export type Dispatch = <V extends Verb>(operation: Operation<V>, turn: Turn) => Eventually<Answer<V>>;

/** Wraps every operation: deadlines, scopes, limits, traces. */
export type Policy = (next: Dispatch) => Dispatch;

/** Folds the policies around the handlers once, at start-up. The first policy is the outermost. */
export function createDispatch(handlers: Handlers, policies: readonly Policy[]): Dispatch {
  const innermost: Dispatch = <V extends Verb>(operation: Operation<V>, turn: Turn) => {
    const handle = handlers[operation.verb] as (ask: Ask<V>, turn: Turn) => Eventually<Answer<V>>;
    return handle(operation.ask as Ask<V>, turn);
  };
  return policies.reduceRight<Dispatch>((next, policy) => policy(next), innermost);
}
