import { NIL, type Sym, type Value } from '../engine/data.ts';
import { raise } from '../engine/raise.ts';
import type { LoopState } from './loop-state.ts';

const bad = (message: string): never => raise.error('PROGRAM-ERROR', message);

/** `for name …`: reads one iteration clause. */
export function forClause(state: LoopState): undefined {
  if (!state.grouped) {
    iteration(state);
    return;
  }
  const group: Value[] = [];
  state.group = group;
  do iteration(state);
  while (state.skip('AND') !== undefined);
  state.group = undefined;
  for (const assignment of group) state.run(assignment);
}

function iteration(state: LoopState): undefined {
  const name = state.take();
  state.skipType();
  const { word } = state;
  const read = ITERATIONS[word];
  if (read === undefined) bad(`unknown LOOP iteration keyword: ${word}`);
  else {
    if (read !== numeric) state.take();
    read(state, name, word);
  }
}

type Iteration = (state: LoopState, name: Value, word: string) => undefined;

function overList(state: LoopState, name: Value, word: string): undefined {
  const rest = state.fresh(state.take());
  const by = state.skip('BY') === undefined ? undefined : state.fresh(state.take());
  state.declare(name);
  const on = word === 'ON';
  state.until(state.form(on ? 'ATOM' : 'ENDP', rest));
  state.step(name, on ? rest : state.form('CAR', rest));
  state.run(state.form('SETQ', rest, by === undefined ? state.form('CDR', rest) : state.form('FUNCALL', by, rest)));
}

function across(state: LoopState, name: Value): undefined {
  const [vector, index] = [state.fresh(state.take()), state.fresh(0n)];
  state.declare(name);
  state.until(state.form('>=', index, state.form('LENGTH', vector)));
  state.step(name, state.form('ELT', vector, index));
  state.run(state.form('SETQ', index, state.form('1+', index)));
}

function equals(state: LoopState, name: Value): undefined {
  const init = state.take();
  state.declare(name);
  if (state.skip('THEN') === undefined) {
    state.step(name, init);
    return;
  }
  const step = state.take();
  state.step(name, state.form('IF', state.first, init, step));
}

interface Range {
  from: Value | undefined;
  limit: Sym | undefined;
  inclusive: boolean;
  by: Value;
  down: boolean;
}

function numeric(state: LoopState, name: Value): undefined {
  const range: Range = { from: undefined, limit: undefined, inclusive: true, by: 1n, down: false };
  while (rangeWord(state, range)) {
    // Every word fills its part of the range.
  }
  const next = state.fresh(range.from ?? 0n);
  state.declare(name, 0n);
  const held = state.step(name, next);
  if (range.limit !== undefined) state.until(state.form(comparison(range), held, range.limit));
  state.run(state.form('SETQ', next, state.form(range.down ? '-' : '+', held, range.by)));
}

function comparison({ down, inclusive }: Range): string {
  if (down) return inclusive ? '<' : '<=';
  return inclusive ? '>' : '>=';
}

function rangeWord(state: LoopState, range: Range): boolean {
  const word = state.skip('FROM', 'UPFROM', 'DOWNFROM', 'TO', 'UPTO', 'DOWNTO', 'BELOW', 'ABOVE', 'BY');
  if (word === undefined) return false;
  const value = state.take();
  if (word.endsWith('FROM')) range.from = state.fresh(value);
  else if (word === 'BY') range.by = state.fresh(value);
  else {
    range.limit = state.fresh(value);
    range.inclusive = word !== 'BELOW' && word !== 'ABOVE';
  }
  range.down ||= word === 'DOWNFROM' || word === 'DOWNTO' || word === 'ABOVE';
  return true;
}

function being(state: LoopState, name: Value): undefined {
  if (state.skip('THE', 'EACH') === undefined) bad('LOOP: BEING needs THE or EACH');
  const kind = state.skip(
    'HASH-KEY',
    'HASH-KEYS',
    'HASH-VALUE',
    'HASH-VALUES',
    'SYMBOL',
    'SYMBOLS',
    'EXTERNAL-SYMBOL',
    'EXTERNAL-SYMBOLS',
    'PRESENT-SYMBOL',
    'PRESENT-SYMBOLS',
  );
  if (kind === undefined || state.skip('OF', 'IN') === undefined)
    return bad('LOOP: BEING needs HASH-KEYS, HASH-VALUES or SYMBOLS OF something');
  const source = state.take();
  if (kind.includes('SYMBOL')) return symbolsOf({ state, name, kind, source });
  const other = state.skip('USING') === undefined ? undefined : state.take();
  const rest = state.fresh(state.form('%TABLE-PAIRS', source));
  const using = other === undefined ? NIL : ((other as { cdr?: { car?: Value } }).cdr?.car ?? NIL);
  const [key, value] = kind.startsWith('HASH-KEY') ? [name, using] : [using, name];
  for (const each of [key, value]) state.declare(each);
  state.until(state.form('NULL', rest));
  if (key !== NIL) state.run(state.assign(key, state.form('CAAR', rest)));
  if (value !== NIL) state.run(state.assign(value, state.form('CDAR', rest)));
  return state.run(state.form('SETQ', rest, state.form('CDR', rest)));
}

interface SymbolsClause {
  readonly state: LoopState;
  readonly name: Value;
  readonly kind: string;
  readonly source: Value;
}

function symbolsOf({ state, name, kind, source }: SymbolsClause): undefined {
  const which = kind.startsWith('EXTERNAL') ? 'DO-EXTERNAL-SYMBOLS' : 'DO-SYMBOLS';
  const rest = state.fresh(state.form('%PACKAGE-SYMBOLS', source, state.form('QUOTE', state.world.sym(which))));
  state.declare(name);
  state.until(state.form('NULL', rest));
  state.run(state.assign(name, state.form('CAR', rest)));
  state.run(state.form('SETQ', rest, state.form('CDR', rest)));
}

const ITERATIONS: Readonly<Record<string, Iteration>> = Object.assign(Object.create(null), {
  IN: overList,
  ON: overList,
  ACROSS: across,
  '=': equals,
  BEING: being,
  FROM: numeric,
  UPFROM: numeric,
  DOWNFROM: numeric,
  TO: numeric,
  UPTO: numeric,
  DOWNTO: numeric,
  BELOW: numeric,
  ABOVE: numeric,
  BY: numeric,
});

/** `with name = form and …`. */
export function withClause(state: LoopState): undefined {
  do {
    const name = state.take();
    state.skipType();
    const init = state.skip('=') === undefined ? NIL : state.take();
    if (!('car' in (name as object))) state.bindings.push([name, init]);
    else {
      const whole = state.fresh(init);
      state.declare(name);
      state.before.push(state.assign(name, whole));
    }
  } while (state.skip('AND') !== undefined);
}

export function repeatClause(state: LoopState): undefined {
  const left = state.fresh(state.take());
  state.until(state.form('<=', left, 0n));
  state.run(state.form('SETQ', left, state.form('1-', left)));
}
