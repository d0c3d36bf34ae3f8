import type { CharSet, Syntax } from './syntax.ts';

/** One state of an automaton; `outs` are the states it leads to. */
export interface State {
  readonly id: number;
  readonly kind: 'set' | 'split' | 'start' | 'end' | 'word' | 'look' | 'match';
  readonly outs: State[];
  readonly set: CharSet | undefined;
  readonly negated: boolean;
  readonly look: Program | undefined;
}

/** An automaton that reads a text once, keeping every state it could be in. */
export interface Program {
  readonly start: State;
  readonly size: number;
  /** Whether what a state does depends on nothing but the next character. */
  readonly regular: boolean;
}

const MOST_STATES = 3000;

/** Builds the automaton of a pattern; undefined when it would be too large. */
export function buildProgram(syntax: Syntax): Program | undefined {
  const builder = new Builder();
  const start = builder.build(syntax, builder.state('match', []));
  return builder.overflown ? undefined : { start, size: builder.size, regular: builder.regular };
}

type Extra = { set?: CharSet; negated?: boolean; look?: Program };

class Builder {
  size = 0;
  regular = true;
  overflown = false;

  state(kind: State['kind'], outs: State[], { set, negated = false, look }: Extra = {}): State {
    if (kind === 'word' || kind === 'look') this.regular = false;
    const state: State = { id: this.size, kind, outs, set, negated, look };
    this.size += 1;
    this.overflown ||= this.size > MOST_STATES;
    return state;
  }

  /** The state in which a text must be for the rest of it to match `syntax` and then whatever follows from `next`. */
  build(syntax: Syntax, next: State): State {
    if (this.overflown) return next;
    switch (syntax.kind) {
      case 'set':
        return this.state('set', [next], { set: syntax.set });
      case 'sequence':
        return syntax.parts.reduceRight((after, part) => this.build(part, after), next);
      case 'choice':
        return this.state(
          'split',
          syntax.parts.map((part) => this.build(part, next)),
        );
      case 'repeat':
        return this.#repeat(syntax, next);
      case 'word':
        return this.state('word', [next], { negated: syntax.negated });
      case 'look':
        return this.#look(syntax, next);
      case 'start':
      case 'end':
        return this.state(syntax.kind, [next]);
      default:
        this.overflown = true;
        return next;
    }
  }

  #look({ part, negated }: { part: Syntax; negated: boolean }, next: State): State {
    const look = buildProgram(part);
    this.size += look?.size ?? 0;
    this.overflown ||= look === undefined;
    return look === undefined ? next : this.state('look', [next], { look, negated });
  }

  #repeat({ part, min, max }: { part: Syntax; min: number; max: number }, next: State): State {
    const endless = max === Number.POSITIVE_INFINITY;
    let start = endless ? this.#loop(part, min > 0, next) : next;
    for (let count = min; count < max && !endless && !this.overflown; count += 1) {
      start = this.state('split', [this.build(part, start), next]);
    }
    for (let count = endless ? 1 : 0; count < min && !this.overflown; count += 1) start = this.build(part, start);
    return start;
  }

  // Enters before the part when it must match once, after it when it need not.
  #loop(part: Syntax, once: boolean, next: State): State {
    const split = this.state('split', []);
    const body = this.build(part, split);
    split.outs.push(body, next);
    return once ? body : split;
  }
}

/** What matching may cost; it ends, without a match, as soon as spending is refused. */
export interface Meter {
  spend(count: number): boolean;
}

const WORD = /^\w$/;
const MOST_REMEMBERED = 20_000;
const MOST_WIDE = 256;
const ASCII = 128;
const CHARACTERS_A_STEP = 8;

/** Every state an automaton could be in at one point of a text, and where each character leads from there. */
interface Situation {
  readonly states: readonly State[];
  readonly matched: boolean;
  readonly ascii: (Situation | undefined)[];
  readonly wide: Map<number, Situation>;
}

/** Runs an automaton over texts; remembers situations, so an ordinary character costs one look-up. */
export class Machine {
  readonly #program: Program;
  readonly #unicode: boolean;
  readonly #search: boolean;
  readonly #marks: Float64Array;
  readonly #looks = new Map<Program, Machine>();
  readonly #known = new Map<string, Situation>();
  readonly #beginnings: (Situation | undefined)[] = [];
  #text = '';
  #meter: Meter = { spend: () => false };
  #mark = 0;
  #remembered = 0;
  #visited = 0;

  /** With `search` a match may begin anywhere, not only where the run begins. */
  constructor(program: Program, { unicode, search }: { unicode: boolean; search: boolean }) {
    this.#program = program;
    this.#unicode = unicode;
    this.#search = search;
    this.#marks = new Float64Array(program.size);
  }

  /** Whether the text matches from this index on; false also when the meter runs out. */
  matches(text: string, meter: Meter, from = 0): boolean {
    this.#text = text;
    this.#meter = meter;
    let at = from;
    let now = this.#begin(from);
    while (!now.matched && at < text.length && !this.#isStuck(now)) {
      const code = this.#codeAt(at);
      at += code > 0xffff ? 2 : 1;
      now = this.#next(now, code, at);
      if (this.#visited > 0 && !this.#pay()) return false;
    }
    this.#visited += Math.ceil((at - from) / CHARACTERS_A_STEP);
    const matched = now.matched || (at >= text.length && this.#endsIn(now, at));
    return this.#pay() && matched;
  }

  #pay(): boolean {
    const visited = this.#visited;
    this.#visited = 0;
    return this.#meter.spend(visited);
  }

  #codeAt(at: number): number {
    return (this.#unicode ? this.#text.codePointAt(at) : this.#text.charCodeAt(at)) ?? 0;
  }

  #begin(at: number): Situation {
    if (!this.#program.regular) return this.#close([this.#program.start], at);
    const slot = at === 0 ? 0 : 1;
    const known = this.#beginnings[slot];
    if (known !== undefined) return known;
    const situation = this.#close([this.#program.start], at);
    this.#beginnings[slot] = situation;
    return situation;
  }

  // Nothing the text goes on with can lead to a match any more.
  #isStuck({ states }: Situation): boolean {
    if (states.length > 0) return false;
    return !this.#search || (this.#program.regular && this.#begin(1).states.length === 0);
  }

  #next(now: Situation, code: number, at: number): Situation {
    const known = code < ASCII ? now.ascii[code] : now.wide.get(code);
    if (known !== undefined) return known;
    const seeds: State[] = this.#search ? [this.#program.start] : [];
    for (const state of now.states) {
      if (state.set?.has(code) === true) seeds.push(...state.outs);
    }
    this.#visited += now.states.length + 1;
    const situation = this.#close(seeds, at);
    return this.#program.regular ? this.#remember(now, code, situation) : situation;
  }

  #remember(now: Situation, code: number, fresh: Situation): Situation {
    const key = `${fresh.matched}${fresh.states.map((state) => state.id).sort((one, other) => one - other)}`;
    const situation = this.#known.get(key) ?? fresh;
    this.#remembered += situation.states.length + 1;
    if (this.#remembered > MOST_REMEMBERED) {
      this.#remembered = 0;
      this.#known.clear();
      this.#beginnings.length = 0;
    }
    this.#known.set(key, situation);
    if (code < ASCII) now.ascii[code] = situation;
    else if (now.wide.size < MOST_WIDE) now.wide.set(code, situation);
    return situation;
  }

  #endsIn(now: Situation, at: number): boolean {
    const endings = now.states.filter((state) => state.kind === 'end');
    return endings.length > 0 && this.#close(endings, at, true).matched;
  }

  // Follows every state that takes no character; an end waits in the situation until the text has ended.
  #close(seeds: State[], at: number, ending = false): Situation {
    const states: State[] = [];
    let matched = false;
    this.#mark += 1;
    for (let state = seeds.pop(); state !== undefined; state = seeds.pop()) {
      if (this.#marks[state.id] === this.#mark) continue;
      this.#marks[state.id] = this.#mark;
      this.#visited += 1;
      if (state.kind === 'match') matched = true;
      else if (state.kind === 'set' || (state.kind === 'end' && !ending)) states.push(state);
      else if (this.#holds(state, at)) seeds.push(...state.outs);
    }
    return { states, matched, ascii: [], wide: new Map() };
  }

  #holds(state: State, at: number): boolean {
    switch (state.kind) {
      case 'start':
        return at === 0;
      case 'word':
        return (this.#isWord(at - 1) !== this.#isWord(at)) !== state.negated;
      case 'look':
        return (
          state.look === undefined || this.#machineOf(state.look).matches(this.#text, this.#meter, at) !== state.negated
        );
      default:
        return true;
    }
  }

  #isWord(at: number): boolean {
    return at >= 0 && at < this.#text.length && WORD.test(this.#text.charAt(at));
  }

  #machineOf(look: Program): Machine {
    const known = this.#looks.get(look);
    if (known !== undefined) return known;
    const machine = new Machine(look, { unicode: this.#unicode, search: false });
    this.#looks.set(look, machine);
    return machine;
  }
}
