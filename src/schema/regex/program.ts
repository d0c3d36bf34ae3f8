import type { CharSet } from './char-set.ts';
import type { Syntax } from './syntax.ts';

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
    let start = next;
    if (max === Number.POSITIVE_INFINITY) {
      start = this.state('split', []);
      start.outs.push(this.build(part, start), next);
    }
    for (let count = min; count < max && max !== Number.POSITIVE_INFINITY && !this.overflown; count += 1) {
      start = this.state('split', [this.build(part, start), next]);
    }
    for (let count = 0; count < min && !this.overflown; count += 1) start = this.build(part, start);
    return start;
  }
}
