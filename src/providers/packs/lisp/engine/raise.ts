import type { Value } from './data.ts';

/** Named slots of a condition about to be signalled; texts stand for strings or, in capitals, for type names. */
export type Details = Readonly<Record<string, Value | string>>;

/** How code without a world signals: the world that is evaluating puts its own ways here. */
export const raise = {
  /** A condition of a named type, by its report. */
  error(_type: string, _message: string, _details?: Details): never {
    throw new TypeError('No evaluation is running');
  },
  /** A value that is not of the type wanted. */
  type(_datum: Value, _expected: string | Value): never {
    throw new TypeError('No evaluation is running');
  },
};
