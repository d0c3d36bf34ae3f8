import { Fault } from '../../model/fault.ts';
import { FAULTS, type FaultCode } from '../../model/fault-codes.ts';
import { isObject, type JsonObject } from '../../model/json.ts';

/** An error on its way between two processes. */
export interface Trouble {
  /** There when it is a fault. */
  readonly code?: string;
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly data?: JsonObject;
  readonly cause?: Trouble;
}

const MOST_CHARS = 10_000;
const DEEPEST_CAUSE = 5;

/** What can be told of something that was thrown, whatever it is. */
export function troubleOf(error: unknown): Trouble {
  try {
    return describe(error, 0);
  } catch {
    return { name: 'Error', message: 'Something was thrown that cannot be described' };
  }
}

function describe(error: unknown, depth: number): Trouble {
  if (!(error instanceof Error) && !Fault.is(error)) return { name: 'Error', message: cut(String(error)) };
  const { name, message, stack, cause } = error;
  const fault = Fault.is(error) ? error : undefined;
  return {
    ...(fault === undefined ? {} : { code: fault.code }),
    name: cut(String(name)),
    message: cut(String(message)),
    ...(typeof stack === 'string' ? { stack: cut(stack) } : {}),
    ...(fault?.data === undefined ? {} : { data: JSON.parse(JSON.stringify(fault.data)) as JsonObject }),
    ...(cause === undefined || depth >= DEEPEST_CAUSE ? {} : { cause: describe(cause, depth + 1) }),
  };
}

/** The error a trouble was; throws `TypeError` for what is none. */
export function errorOf(trouble: unknown): Error {
  if (!isObject(trouble)) throw new TypeError('A trouble must be an object');
  const { code, name, message, stack, data, cause } = trouble as unknown as Trouble;
  const why = cause === undefined ? {} : { cause: errorOf(cause) };
  if (typeof code === 'string' && Object.hasOwn(FAULTS, code)) {
    return new Fault(code as FaultCode, String(message), { ...(isObject(data) ? { data } : {}), ...why });
  }
  const error = new Error(String(message), why);
  error.name = String(name);
  if (typeof stack === 'string') error.stack = stack;
  return error;
}

function cut(text: string): string {
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text;
}
