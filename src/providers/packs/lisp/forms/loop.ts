import { Cons, NIL, type Sym, T, type Value } from '../engine/data.ts';
import { items, list } from '../engine/lists.ts';
import { raise } from '../engine/raise.ts';
import type { Rewrite } from '../engine/world.ts';
import { forClause, repeatClause, withClause } from './loop-for.ts';
import { LoopState } from './loop-state.ts';

const loop: Rewrite = (form, { world }) => {
  const words = items(form.cdr);
  if (words.length === 0 || words[0] instanceof Cons) {
    const rounds = words.map((word) => list(world.key('DO'), word));
    return world.form('BLOCK', NIL, world.form('%CYCLE', ...rounds));
  }
  const state = new LoopState(world, words);
  while (!state.done) clause(state);
  return state.finish();
};

function clause(state: LoopState): void {
  const { word } = state;
  const read = CLAUSES[word];
  if (read === undefined)
    state.run(actionClause(state) ?? raise.error('PROGRAM-ERROR', `unknown LOOP keyword: ${word}`));
  else {
    state.take();
    read(state);
  }
}

const leave = (state: LoopState, value: Value) => state.form('RETURN-FROM', state.name, value);

const CLAUSES: Readonly<Record<string, (state: LoopState) => void>> = Object.assign(Object.create(null), {
  NAMED: (state: LoopState) => {
    state.name = state.take();
  },
  FOR: forClause,
  AS: forClause,
  WITH: withClause,
  REPEAT: repeatClause,
  WHILE: (state: LoopState) => state.until(state.form('NOT', state.take())),
  UNTIL: (state: LoopState) => state.until(state.take()),
  ALWAYS: (state: LoopState) => {
    state.result ??= T;
    state.run(state.form('UNLESS', state.take(), leave(state, NIL)));
  },
  NEVER: (state: LoopState) => {
    state.result ??= T;
    state.run(state.form('WHEN', state.take(), leave(state, NIL)));
  },
  THEREIS: (state: LoopState) => {
    const found = state.world.gensym();
    state.run(state.form('LET', list(list(found, state.take())), state.form('WHEN', found, leave(state, found))));
  },
  INITIALLY: (state: LoopState) => {
    state.before.push(...state.forms());
  },
  FINALLY: (state: LoopState) => {
    if (state.skip('RETURN') !== undefined) state.after.push(leave(state, state.take()));
    else {
      state.skip('DO', 'DOING');
      state.after.push(...state.forms());
    }
  },
});

/** A clause that may stand after `when`: the form it becomes, or `undefined` when it is none. */
function actionClause(state: LoopState): Value | undefined {
  const { word } = state;
  const read = ACTIONS[word];
  if (read === undefined) return undefined;
  state.take();
  return read(state, word);
}

type Action = (state: LoopState, word: string) => Value;

const gather =
  (wrap: (state: LoopState, value: Value) => Value): Action =>
  (state) => {
    const value = valueFrom(state);
    const { tail } = state.accumulator('list');
    const end = tail as Sym;
    return state.form('SETQ', end, state.form('%JOIN-TAIL', end, wrap(state, value)));
  };

/** The form after an action word; `it` means what the test gave. */
function valueFrom(state: LoopState): Value {
  const { it } = state;
  return it !== undefined && state.skip('IT') !== undefined ? it : state.take();
}

const collect = gather((state, value) => state.form('LIST', value));
const append = gather((state, value) => state.form('COPY-LIST', value));
const nconc = gather((_, value) => value);

const sum: Action = (state) => {
  const value = valueFrom(state);
  const total = state.accumulator('number').value;
  return state.form('SETQ', total, state.form('+', total, value));
};

const count: Action = (state) => {
  const value = valueFrom(state);
  const total = state.accumulator('number').value;
  return state.form('WHEN', value, state.form('SETQ', total, state.form('1+', total)));
};

const extreme =
  (operator: string): Action =>
  (state) => {
    const value = valueFrom(state);
    const best = state.accumulator('extreme').value;
    const made = state.world.gensym();
    const better = state.form('IF', best, state.form(operator, best, made), made);
    return state.form('LET', list(list(made, value)), state.form('SETQ', best, better));
  };

const perform: Action = (state) => state.form('PROGN', ...state.forms());

const conditional: Action = (state, word) => {
  const [test, name] = [state.take(), state.world.gensym()];
  const outer = state.it;
  state.it = name;
  const then = actions(state);
  const otherwise = state.skip('ELSE') === undefined ? [] : actions(state);
  state.skip('END');
  state.it = outer;
  const [yes, no] = [state.form('PROGN', ...then), state.form('PROGN', ...otherwise)];
  const branch = word === 'UNLESS' ? state.form('IF', name, no, yes) : state.form('IF', name, yes, no);
  return state.form('LET', list(list(name, test)), branch);
};

function actions(state: LoopState): Value[] {
  const found: Value[] = [];
  do {
    found.push(actionClause(state) ?? raise.error('PROGRAM-ERROR', 'LOOP: a conditional needs an action'));
  } while (state.skip('AND') !== undefined);
  return found;
}

const ACTIONS: Readonly<Record<string, Action>> = Object.assign(Object.create(null), {
  COLLECT: collect,
  COLLECTING: collect,
  APPEND: append,
  APPENDING: append,
  NCONC: nconc,
  NCONCING: nconc,
  SUM: sum,
  SUMMING: sum,
  COUNT: count,
  COUNTING: count,
  MAXIMIZE: extreme('MAX'),
  MAXIMIZING: extreme('MAX'),
  MINIMIZE: extreme('MIN'),
  MINIMIZING: extreme('MIN'),
  DO: perform,
  DOING: perform,
  RETURN: (state: LoopState) => leave(state, valueFrom(state)),
  WHEN: conditional,
  IF: conditional,
  UNLESS: conditional,
});

export const LOOP: Readonly<Record<string, Rewrite>> = {
  LOOP: loop,
  'LOOP-FINISH': (_form, { world }) => world.form('RETURN-FROM', world.sym('%LOOP-END'), NIL),
};
