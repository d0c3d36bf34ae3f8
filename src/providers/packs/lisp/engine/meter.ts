// What an evaluation may spend. One evaluation runs at a time in a thread, so the meter is the thread's:
// every constructor and loop below charges it and none can forget to.

/** Every budget of an evaluation, with its default. `docs/lisp.md` has a row for each; a test holds the two together. */
export const BUDGETS = {
  steps: { default: 10_000_000_000, says: 'Most steps (calls, loop rounds, elements touched) one evaluation may take' },
  timeMs: { default: 5000, says: 'Longest time one evaluation may run' },
  memoryBytes: {
    default: 256 * 1024 * 1024,
    says: 'Most memory one evaluation may allocate, counted, garbage included',
  },
  depth: {
    default: 1200,
    says: 'Deepest nesting of calls, of forms being compiled, and of data being read or printed',
  },
  integerBits: { default: 262_144, says: 'Longest integer, in bits' },
  elements: { default: 4_000_000, says: 'Longest string, vector or array that may be made at once' },
  outputChars: { default: 100_000, says: 'Most characters of output kept; the rest is counted and dropped' },
  retainedBytes: {
    default: 128 * 1024 * 1024,
    says: 'Most memory what a session defined may hold; beyond it the session is reset',
  },
} as const satisfies Record<string, { default: number; says: string }>;

export type BudgetName = keyof typeof BUDGETS;
export type Budgets = Readonly<Record<BudgetName, number>>;

/** The defaults with some of them replaced. */
export function budgetsWith(changes: Partial<Budgets> = {}): Budgets {
  const names = Object.keys(BUDGETS) as BudgetName[];
  const pairs = names.map((name) => [name, changes[name] ?? BUDGETS[name].default]);
  return Object.fromEntries(pairs) as Budgets;
}

/** Ends the evaluation: no handler and no cleanup form of the evaluated code sees it. */
export class Stop {
  readonly budget: BudgetName | 'cancelled';
  constructor(budget: BudgetName | 'cancelled') {
    this.budget = budget;
  }
}

/** Ends what asked for too much at once; `handler-case` may take it as a storage condition, since the work was not done. */
export class Overrun {
  readonly budget: BudgetName;
  constructor(budget: BudgetName) {
    this.budget = budget;
  }
}

const SLICE = 4096;

export const meter = {
  slice: Number.POSITIVE_INFINITY,
  steps: Number.POSITIVE_INFINITY,
  bytes: Number.POSITIVE_INFINITY,
  depth: 0,
  deadline: Number.POSITIVE_INFINITY,
  limits: budgetsWith(),
  cancelled: (): boolean => false,
};

/** Fills the meter for one evaluation. */
export function startMeter(limits: Budgets, cancelled: () => boolean): void {
  meter.limits = limits;
  meter.slice = 0;
  meter.steps = limits.steps;
  meter.bytes = limits.memoryBytes;
  meter.depth = limits.depth;
  meter.deadline = performance.now() + limits.timeMs;
  meter.cancelled = cancelled;
}

/** Lets the engine itself work uncounted, as it does while it builds a world. */
export function idleMeter(): void {
  startMeter(budgetsWith(), () => false);
  meter.slice = Number.POSITIVE_INFINITY;
  meter.bytes = Number.POSITIVE_INFINITY;
}

function refill(): void {
  meter.steps -= SLICE - meter.slice;
  meter.slice = SLICE;
  if (meter.steps < 0) throw new Stop('steps');
  if (performance.now() > meter.deadline) throw new Stop('timeMs');
  if (meter.cancelled()) throw new Stop('cancelled');
}

/** Pays for work. */
export function tick(steps = 1): void {
  meter.slice -= steps;
  if (meter.slice < 0) refill();
}

/** Pays for memory. */
export function charge(bytes: number): void {
  meter.bytes -= bytes;
  if (meter.bytes < 0) throw new Stop('memoryBytes');
}

/** Refuses a thing that would be too long before it is made. */
export function fits(elements: number): number {
  if (!(elements <= meter.limits.elements)) throw new Overrun('elements');
  return elements;
}

/** Goes one level down; whoever catches a throw puts `meter.depth` back. */
export function enter(): void {
  if (--meter.depth < 0) throw new Overrun('depth');
}

export function leave(): void {
  meter.depth++;
}

const WORD = 1n << 64n;

/** Pays for an integer, and refuses one that is too long. */
export function integer(value: bigint): bigint {
  if (value < WORD && value > -WORD) return value;
  return wide(value);
}

function wide(value: bigint): bigint {
  const bits = bitLength(value);
  if (bits > meter.limits.integerBits) throw new Overrun('integerBits');
  charge(bits >> 3);
  tick(bits >> 9);
  return value;
}

/** Bits of the magnitude. */
export function bitLength(value: bigint): number {
  const magnitude = value < 0n ? -value : value;
  if (magnitude < WORD) return magnitude === 0n ? 0 : magnitude.toString(2).length;
  const hex = magnitude.toString(16);
  return (hex.length - 1) * 4 + Number.parseInt(hex.slice(0, 1), 16).toString(2).length;
}

/** Refuses a result of about so many bits before it is computed. */
export function fitsBits(bits: number): void {
  if (!(bits <= meter.limits.integerBits)) throw new Overrun('integerBits');
}
