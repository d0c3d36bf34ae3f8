import type { Eventually } from '../model/json.ts';

/** Goes on with a value: at once when it is there, later when it is promised. */
export function after<T, U>(value: Eventually<T>, next: (value: T) => Eventually<U>): Eventually<U> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value);
}

/** All values of a list, at once when all are there. */
export function all<T>(values: readonly Eventually<T>[]): Eventually<readonly T[]> {
  return values.some(isPromise) ? Promise.all(values) : (values as readonly T[]);
}

/** Whether a value is still to come; any object with a `then` counts, as it does for `await`. */
export function isPromise<T>(value: Eventually<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
