import { Fault } from '../../model/fault.ts';
import type { Eventually } from '../../model/json.ts';
import type { Answer, Operation, Verb } from '../../model/verbs.ts';
import type { Policy } from '../dispatch.ts';
import type { Turn } from '../turn.ts';

/** Says how long an operation may run, in milliseconds; 0 is for ever. */
export type DeadlineOf = (operation: Operation) => number;

/** Ends the wait for work that takes too long. Time spent waiting for the peer does not count. */
export function deadline(deadlineOf: DeadlineOf): Policy {
  return (next) =>
    <V extends Verb>(operation: Operation<V>, turn: Turn): Eventually<Answer<V>> => {
      const answer = next(operation, turn);
      if (!(answer instanceof Promise)) return answer;
      const ms = deadlineOf(operation as Operation);
      return ms === 0 ? answer : within(answer, turn, ms);
    };
}

function within<T>(answer: Promise<T>, turn: Turn, ms: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const started = performance.now();
    let timer = setTimeout(expire, ms);
    function expire(): void {
      const left = started + ms + turn.waited() - performance.now();
      if (left > 1) {
        timer = setTimeout(expire, left);
        return;
      }
      const fault = new Fault('E_DEADLINE', `Deadline exceeded: the work took longer than ${ms} ms`);
      turn.abort(fault);
      reject(fault);
    }
    // Work that nobody waits for has no deadline, and must not hold the process.
    turn.onAbort(() => clearTimeout(timer));
    answer.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
