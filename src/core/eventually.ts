import type { Eventually } from '../model/json.ts';

/** Goes on with a value when it is there: at once if it is, so that a synchronous handler costs no promise. */
export function after<T, U>(value: Eventually<T>, next: (value: T) => Eventually<U>): Eventually<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Runs foreign code and turns whatever it throws or rejects with into what `blame` makes of it. */
export function attempt<T>(work: () => Eventually<T>, blame: (error: unknown) => Error): Eventually<T> {
  try {
    const value = work();
    if (!(value instanceof Promise)) return value;
    return value.catch((error: unknown) => {
      throw blame(error);
    });
  } catch (error) {
    throw blame(error);
  }
}
