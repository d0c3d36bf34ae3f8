import type { Definition, Evaluation, Match, Named, Problem, Search, Syntax } from './contract.ts';
import { evaluate, expandOnce, topSite } from './engine/compile.ts';
import { budgetCondition, handled, installRaise, reportOf, typeName } from './engine/conditions.ts';
import { Many, Pack, type Sym, type Value } from './engine/data.ts';
import { Generic } from './engine/generic.ts';
import { type Budgets, budgetsWith, idleMeter, meter, Overrun, Stop, startMeter } from './engine/meter.ts';
import { anyNames, namesOf } from './engine/names.ts';
import { Output } from './engine/objects.ts';
import { positionOf, ReadFault } from './engine/read-tokens.ts';
import { Reader } from './engine/reader.ts';
import { one, Unhandled, valuesOf, type World } from './engine/world.ts';
import { forgetCatchers } from './forms/exits.ts';
import { description, readFault } from './functions/io.ts';
import { findPackage } from './functions/symbols.ts';
import { createWorld } from './image.ts';
import { retained } from './retained.ts';

export interface Work {
  readonly code: string;
  readonly package?: string | undefined;
  readonly budgets?: Partial<Budgets>;
  readonly cancelled?: () => boolean;
}

type Task = (world: World) => Value;

/** One session of the embedded Lisp. Synchronous: budgets end every evaluation, the clock among them. */
export class Interpreter {
  #world: World = createWorld();
  #unmeasured = 0;

  /** Reads and evaluates a text form by form, so that a later form is read in the package an earlier one chose. */
  evaluate(work: Work): Evaluation {
    return this.#run(work, (world) => {
      checkSyntax(work.code);
      const reader = (at: number) => new Reader(work.code, namesOf(world), at);
      let value: Value = new Many([]);
      for (let at = 0; ; ) {
        const current = reader(at);
        const form = readNext(current, work.code);
        if (form === undefined) return value;
        at = current.at;
        value = evaluate(form, world);
      }
    });
  }

  expand({ full, ...work }: Work & { readonly full: boolean }): Evaluation {
    return this.#run(work, (world) => {
      let form = readNext(new Reader(work.code, namesOf(world)), work.code) ?? new Many([]);
      for (;;) {
        const next = expandOnce(form, topSite(world));
        if (next === undefined) return form;
        form = next;
        if (!full) return form;
      }
    });
  }

  reset(): void {
    this.#world = createWorld();
    this.#unmeasured = 0;
  }

  definitions(): Definition[] {
    return [...this.#world.definitions]
      .reverse()
      .map(({ kind, name }) => ({ kind, name: name.toLowerCase() }) as Definition);
  }

  describe({ name, package: home }: Named): string | undefined {
    const world = this.#world;
    return this.#quietly(() => {
      const symbol = this.#symbol(name, home);
      return symbol === undefined ? undefined : description(symbol, world);
    });
  }

  apropos({ pattern, package: home, names }: Search): Match[] {
    const world = this.#world;
    const homes = home === undefined ? [...new Set(world.packages.values())] : [findPackage(home, world)];
    const wanted = pattern.toUpperCase();
    const symbols = homes.flatMap((each) => [...(each?.symbols.values() ?? [])]);
    const found = [...new Set(symbols)].filter(({ name }) => name.includes(wanted) && !name.startsWith('%'));
    const matches = found.map((symbol) => ({
      name: this.#quietly(() => world.hooks.print(symbol, true)),
      kinds: kindsOf(symbol, world),
    }));
    return matches
      .filter(({ kinds }) => names === undefined || kinds.includes(names))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #symbol(name: string, home: string | undefined): Sym | undefined {
    const world = this.#world;
    const [, prefix, rest] = /^(?:([^:]*)::?)?(.+)$/.exec(name) ?? [];
    const from = prefix === '' ? world.keyword : findPackage(prefix ?? home ?? world.package.name, world);
    return from?.find((rest ?? name).toUpperCase()) ?? from?.find(rest ?? name);
  }

  #quietly<R>(work: () => R): R {
    installRaise(this.#world);
    startMeter(budgetsWith({ timeMs: 1000 }), () => false);
    try {
      return work();
    } finally {
      idleMeter();
    }
  }

  #run(work: Work, task: Task): Evaluation {
    const world = this.#world;
    const budgets = budgetsWith(work.budgets);
    const start = performance.now();
    open(world, budgets, work.cancelled ?? (() => false));
    const before = world.package;
    let [values, error]: [string[], Problem | undefined] = [[], undefined];
    try {
      if (work.package !== undefined) world.package = packageNamed(work.package, world);
      const value = task(world);
      keepValue(value, world);
      values = valuesOf(value).map((each) => world.hooks.print(each, true));
    } catch (thrown) {
      error = problemOf(thrown, world, budgets);
    }
    const bytes = budgets.memoryBytes - meter.bytes;
    close(world);
    if (work.package !== undefined) world.package = before;
    const restarted = this.#measure(bytes, budgets);
    return {
      values,
      output: world.stdout.text,
      errorOutput: world.stderr.text,
      dropped: world.stdout.dropped + world.stderr.dropped,
      warnings: world.warnings,
      error: restarted ? (error ?? tooMuchKept(budgets)) : error,
      package: this.#world.package.name,
      realMs: performance.now() - start,
      bytes,
      restarted,
    };
  }

  /** Counts what the session holds once it allocated a good part of what it may hold. */
  #measure(bytes: number, { retainedBytes }: Budgets): boolean {
    this.#unmeasured += bytes;
    if (this.#unmeasured < retainedBytes / 2) return false;
    const held = retained(this.#world, retainedBytes);
    this.#unmeasured = Math.min(held, retainedBytes / 4);
    if (held <= retainedBytes) return false;
    this.reset();
    return true;
  }
}

function tooMuchKept({ retainedBytes }: Budgets): Problem {
  const message = `Budget "retainedBytes" of ${retainedBytes} is used up: the session was reset.`;
  return { type: 'PARLEY:MEMORY-EXCEEDED', message };
}

function open(world: World, budgets: Budgets, cancelled: () => boolean): void {
  idleMeter();
  installRaise(world);
  forgetCatchers();
  world.stdout = new Output(budgets.outputChars);
  world.stderr = new Output(budgets.outputChars);
  world.warnings = [];
  world.handlers = [];
  world.restarts = [];
  for (const name of ['*STANDARD-OUTPUT*', '*QUERY-IO*', '*TERMINAL-IO*']) world.sym(name).value = world.stdout;
  for (const name of ['*ERROR-OUTPUT*', '*TRACE-OUTPUT*', '*DEBUG-IO*']) world.sym(name).value = world.stderr;
  world.sym('*STANDARD-INPUT*').value = world.stdin;
  startMeter(budgets, cancelled);
}

function close(world: World): void {
  idleMeter();
  world.unbind(0);
  world.handlers = [];
  world.restarts = [];
}

function keepValue(value: Value, world: World): void {
  const [first] = valuesOf(value);
  if (first === undefined) return;
  world.sym('***').value = one(world.sym('**').value as Value);
  world.sym('**').value = world.sym('*').value;
  world.sym('*').value = first;
}

function packageNamed(name: string, world: World): Pack {
  const found = findPackage(name, world);
  if (found instanceof Pack) return found;
  throw new UnknownPackage(name);
}

class UnknownPackage {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

function readNext(reader: Reader, text: string): Value | undefined {
  try {
    return reader.next();
  } catch (thrown) {
    if (thrown instanceof ReadFault) return readFault(thrown, text);
    throw thrown;
  }
}

/** Refuses a text that cannot be read before any of it runs. */
function checkSyntax(code: string): void {
  const reader = new Reader(code, anyNames);
  while (readNext(reader, code) !== undefined) {
    // Reading is all there is to do.
  }
}

function problemOf(thrown: unknown, world: World, budgets: Budgets): Problem {
  idleMeter();
  const limit = (budget: Stop['budget']) => (budget === 'cancelled' ? 0 : budgets[budget]);
  if (thrown instanceof UnknownPackage)
    return { type: 'PACKAGE-ERROR', message: `The name "${thrown.name}" does not designate any package.` };
  const condition =
    thrown instanceof Unhandled
      ? thrown.condition
      : thrown instanceof Stop
        ? budgetCondition(world, thrown.budget, limit(thrown.budget))
        : handled(thrown, world, budgets);
  if (condition === undefined) throw thrown;
  return { type: typeName(condition, world), message: reportSafely(() => reportOf(condition, world)) };
}

/** A report is the program's own code: it runs within a small budget, and its failure is not ours. */
function reportSafely(report: () => string): string {
  startMeter(budgetsWith({ steps: 1_000_000, timeMs: 500, memoryBytes: 8_000_000, depth: 300 }), () => false);
  try {
    return report();
  } catch (thrown) {
    if (
      thrown instanceof Unhandled ||
      thrown instanceof Stop ||
      thrown instanceof Overrun ||
      thrown instanceof RangeError
    )
      return 'The condition could not be reported.';
    throw thrown;
  } finally {
    idleMeter();
  }
}

function kindsOf(symbol: Sym, world: World): string[] {
  const kinds: string[] = [];
  if (symbol.fn instanceof Generic) kinds.push('generic-function');
  else if (symbol.fn !== undefined) kinds.push('function');
  if (symbol.macro !== undefined || world.rewrites.has(symbol)) kinds.push('macro');
  if (world.specials.has(symbol)) kinds.push('special-operator');
  if (symbol.value !== undefined && symbol.home !== world.keyword) kinds.push('variable');
  if (world.classes.has(symbol)) kinds.push('class');
  return kinds;
}

/** Whether a text can be read, form by form. */
export function validate(code: string, budgets: Budgets = budgetsWith()): Syntax {
  startMeter(budgets, () => false);
  const reader = new Reader(code, anyNames);
  let forms = 0;
  try {
    while (reader.next() !== undefined) forms++;
    return { forms };
  } catch (thrown) {
    if (thrown instanceof ReadFault) return broken(thrown, reader, forms);
    if (thrown instanceof Overrun || thrown instanceof Stop || thrown instanceof RangeError)
      return { forms, error: 'the text is nested too deeply or is too long', unclosed: reader.open.length };
    throw thrown;
  } finally {
    idleMeter();
  }
}

function broken(fault: ReadFault, reader: Reader, forms: number): Syntax {
  const opened = reader.open.at(-1);
  const where = positionOf(reader.text, fault.ended && opened !== undefined ? opened : fault.offset);
  return { forms, error: fault.message, ...where, unclosed: reader.open.length };
}
