import type { Eventually } from '../model/json.ts';

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
