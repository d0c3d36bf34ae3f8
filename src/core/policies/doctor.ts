import { doctorResult } from '../../catalog/doctor.ts';
import { after } from '../../catalog/eventually.ts';
import { type Eventually, isObject } from '../../model/json.ts';
import type { Answer, Operation, Verb } from '../../model/verbs.ts';
import type { Policy } from '../dispatch.ts';
import type { Turn } from '../turn.ts';

/** Lets the result doctor see every result of a tool before it is sent. */
export const doctor: Policy =
  (next) =>
  <V extends Verb>(operation: Operation<V>, turn: Turn): Eventually<Answer<V>> => {
    const answer = next(operation, turn);
    return operation.verb === 'tools.call' ? after(answer, treated) : answer;
  };

function treated<A>(answer: A): A {
  const ticket = isObject(answer) && 'task' in answer;
  return ticket ? answer : (doctorResult(answer) as A);
}
