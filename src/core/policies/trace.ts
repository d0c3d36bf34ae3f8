import { excerpt } from '../../model/excerpt.ts';
import { Fault } from '../../model/fault.ts';
import type { Eventually } from '../../model/json.ts';
import type { Answer, Operation, Verb } from '../../model/verbs.ts';
import { type OperationStarted, operationEnded, operationStarted } from '../../telemetry/signals.ts';
import type { Dispatch, Policy } from '../dispatch.ts';
import type { Turn } from '../turn.ts';

/** Publishes the start and the end of every operation. Belongs outermost; while nobody listens it only looks. */
export const trace: Policy =
  (next) =>
  <V extends Verb>(operation: Operation<V>, turn: Turn): Eventually<Answer<V>> =>
    operationEnded.heard || operationStarted.heard ? traced(next, operation, turn) : next(operation, turn);

function traced<V extends Verb>(next: Dispatch, operation: Operation<V>, turn: Turn): Eventually<Answer<V>> {
  const start = {
    call: turn.id,
    verb: operation.verb,
    dialect: turn.dialect,
    target: targetOf(operation as Operation),
  };
  if (operationStarted.heard) operationStarted.publish(start);
  const began = performance.now();
  try {
    const answer = next(operation, turn);
    if (!(answer instanceof Promise)) {
      end(start, began, outcomeOf(answer));
      return answer;
    }
    // The caller's promise is the handler's own: watching must not change when it settles.
    answer.then(
      (value) => end(start, began, outcomeOf(value)),
      (error: unknown) => end(start, began, troubleOf(error, turn)),
    );
    return answer;
  } catch (error) {
    end(start, began, troubleOf(error, turn));
    throw error;
  }
}

function end({ call, verb, dialect, target }: OperationStarted, began: number, outcome: string): void {
  if (!operationEnded.heard) return;
  operationEnded.publish({ call, verb, dialect, target, outcome, ms: performance.now() - began });
}

function targetOf({ verb, ask }: Operation): string | undefined {
  return verb === 'tools.call' || verb === 'prompts.get' ? excerpt(ask.name) : undefined;
}

function outcomeOf(answer: Answer<Verb>): string {
  return 'failed' in answer && answer.failed === true ? 'failed' : 'ok';
}

function troubleOf(error: unknown, turn: Turn): string {
  const { code, cause } = Fault.from(error);
  if (code !== 'E_INTERNAL') return code;
  if (cause instanceof Error && cause.name === 'Suspended') return 'asked';
  return turn.signal.aborted ? 'cancelled' : code;
}
