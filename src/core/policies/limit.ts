import { after } from '../../catalog/eventually.ts';
import type { ToolEntry } from '../../catalog/provider.ts';
import { Fault } from '../../model/fault.ts';
import type { Eventually } from '../../model/json.ts';
import type { Log } from '../../model/log.ts';
import { type RateLimit, waitText } from '../../model/rate.ts';
import type { Counters, Taken } from '../../store/store.ts';
import type { Turn } from '../turn.ts';

// Not folded around the dispatch like other policies: only the handler of calls knows the tool without looking it up
// again, and the work of a task goes on after its request was answered.

/** Holds calls to what their tools allow. Asked only about tools that have bounds. */
export interface ToolGate {
  /** Takes one call from what its caller may make of the tool. */
  admit(entry: ToolEntry, turn: Turn): Eventually<void>;
  /** Runs the work of a tool as one of those that may run at once; a slot is free when its work has really ended. */
  occupy<T>(entry: ToolEntry, work: () => Eventually<T>): Eventually<T>;
}

export interface ToolGateOptions {
  counters(): Counters;
  readonly log: Log;
}

/** When a slot may be free: nobody knows how long work takes. */
const SLOT_RETRY_MS = 1000;

export function createToolGate({ counters, log }: ToolGateOptions): ToolGate {
  const running = new Map<string, number>();

  /** Where nobody can count, everybody is let in: an engine that is away must not take the tools with it. */
  let counts = true;
  const uncounted = (error: unknown): Taken => {
    // Said once an outage, since there may be many calls in one.
    if (counts) log('warn', 'Calls are not counted until the store works again', { error });
    counts = false;
    return { ok: true, left: 0 };
  };
  const counted = (taken: Taken): Taken => {
    counts = true;
    return taken;
  };
  const take = (key: string, { burst, perSecond }: RateLimit): Eventually<Taken> => {
    try {
      const taken = counters().take(key, { capacity: burst, refillPerSecond: perSecond });
      return taken instanceof Promise ? taken.then(counted, uncounted) : counted(taken);
    } catch (error) {
      return uncounted(error);
    }
  };
  const leave = (name: string): void => {
    const left = (running.get(name) ?? 1) - 1;
    if (left === 0) running.delete(name);
    else running.set(name, left);
  };

  return {
    admit({ tool, bounds }, turn) {
      if (bounds?.rate === undefined) return undefined;
      return after(take(`tool/${tool.name}/${callerOf(turn)}`, bounds.rate), (taken) => {
        if (!taken.ok) throw tooOften(tool.name, taken.retryAfterMs);
      });
    },
    occupy({ tool: { name }, bounds }, work) {
      if (bounds?.concurrency === undefined) return work();
      const count = running.get(name) ?? 0;
      if (count >= bounds.concurrency) throw tooManyAtOnce(name, bounds.concurrency);
      running.set(name, count + 1);
      return releasing(work, () => leave(name));
    },
  };
}

function releasing<T>(work: () => Eventually<T>, free: () => void): Eventually<T> {
  let result: Eventually<T>;
  try {
    result = work();
  } catch (error) {
    free();
    throw error;
  }
  if (result instanceof Promise) result.then(free, free);
  else free();
  return result;
}

/** Whose calls are counted together: a principal's, else a connection's, else those of all who have neither. */
function callerOf({ principal, session }: Turn): string {
  if (principal !== undefined) return `principal:${principal.id}`;
  return session === undefined ? 'anyone' : `session:${session}`;
}

function tooOften(name: string, retryAfterMs: number): Fault {
  const remedy = `wait ${waitText(retryAfterMs)} before calling it again`;
  return new Fault('E_TOOL_BUSY', `Tool "${name}" was called too often: ${remedy}. Nothing was done`, {
    data: { name, retryAfterMs },
  });
}

function tooManyAtOnce(name: string, concurrency: number): Fault {
  const calls = concurrency === 1 ? 'another call' : `${concurrency} other calls`;
  const remedy = `call it again after ${waitText(SLOT_RETRY_MS)}, or when a call of yours has ended`;
  return new Fault('E_TOOL_BUSY', `Tool "${name}" is busy with ${calls}: ${remedy}. Nothing was done`, {
    data: { name, concurrency, retryAfterMs: SLOT_RETRY_MS },
  });
}
