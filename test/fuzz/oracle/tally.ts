import { expect, shown } from '../target.ts';
import type { Heard } from './answers.ts';
import { type Due, keyOf } from './due.ts';

// Holds what was said against what was due.

/** What was due to each line, and which ids were taken back. */
export interface Bill {
  readonly dues: readonly Due[];
  /** The good answers may be late themselves, so that the gaps between them say nothing about order. */
  readonly pooled?: boolean;
  readonly takenBack: ReadonlySet<string>;
}

/** What was heard: `gaps[n]` holds what came after the good answer before line `n` and before the one behind it. */
export interface Gaps {
  readonly gaps: readonly (readonly Heard[])[];
}

type Explain = (line: number) => string;

/**
 * Every line must have got what was due to it, and nothing else may have been said. Errors without a name come at once,
 * so they are held against their very line; answers with a name may come later, and are held against their id.
 */
export function settle(bill: Bill, { gaps }: Gaps, explain: Explain): void {
  const open = new Ledger(bill.takenBack);
  for (const due of bill.dues) open.enter(due);
  if (bill.pooled === true) settlePool(bill.dues, gaps.flat(), open);
  else settleGaps(bill.dues, { gaps, open }, explain);
  open.close();
}

function settleGaps(dues: readonly Due[], { gaps, open }: Gaps & { readonly open: Ledger }, explain: Explain): void {
  for (const [line, heard] of gaps.entries()) {
    const due = dues[line] ?? { kind: 'none' };
    settleGap({ due, heard: heard.filter(({ kind }) => kind !== 'aside'), open }, () => explain(line));
  }
}

function settlePool(dues: readonly Due[], heard: readonly Heard[], open: Ledger): void {
  const wanted = dues.filter(({ kind }) => kind === 'nameless').length;
  const nameless = heard.filter(({ kind }) => kind === 'nameless').length;
  expect(nameless === wanted, () => `${nameless} errors without a name, ${wanted} due`);
  open.payAll(heard, () => '');
}

interface Gap {
  readonly due: Due;
  readonly heard: readonly Heard[];
  readonly open: Ledger;
}

function settleGap({ due, heard, open }: Gap, explain: () => string): void {
  const nameless = heard.filter((one) => one.kind === 'nameless');
  const wanted = due.kind === 'nameless' ? 1 : 0;
  // A request under an id that is still being answered is refused without naming it.
  const spare = nameless.length - wanted;
  const forgiven = due.kind === 'named' && spare === 1 && open.forgive(due.id);
  expect(spare === 0 || forgiven, () => `${nameless.length} errors without a name, ${wanted} due: ${explain()}`);
  if (due.kind === 'nameless') for (const one of nameless) expectNameless(due, one, explain);
  open.payAll(heard, explain);
}

function expectNameless(
  due: Due & { kind: 'nameless' },
  heard: Heard & { kind: 'nameless' },
  explain: () => string,
): void {
  expect(due.codes.includes(heard.code), () => `code ${heard.code}, not ${due.codes.join(' or ')}: ${explain()}`);
  const shaped = due.shape === 'either' || due.shape === heard.shape;
  expect(shaped, () => `the id is ${heard.shape} and should be ${due.shape}: ${explain()}`);
}

/** Answers that are still owed. */
class Ledger {
  readonly #named = new Map<string, (Due & { kind: 'named' })[]>();
  readonly #batches: string[] = [];
  readonly #actions: (Due & { kind: 'action' })[] = [];
  readonly #takenBack: ReadonlySet<string>;

  constructor(takenBack: ReadonlySet<string>) {
    this.#takenBack = takenBack;
  }

  enter(due: Due): void {
    if (due.kind === 'action') this.#actions.push(due);
    else if (due.kind === 'batch') this.#batches.push(due.parts.map(nameOfDue).sort().join(' '));
    else if (due.kind === 'named') {
      const key = keyOf(due.id);
      this.#named.set(key, [...(this.#named.get(key) ?? []), due]);
    }
  }

  /** An answer under an id that was used more than once may be a refusal of the second use. */
  forgive(id: string | number): boolean {
    const owed = this.#named.get(keyOf(id)) ?? [];
    if (owed.length === 0) return false;
    owed.pop();
    return true;
  }

  payAll(heard: readonly Heard[], explain: () => string): void {
    for (const one of heard) {
      if (one.kind === 'named') this.#pay(one, explain);
      else if (one.kind === 'batch') this.#payBatch(one.parts, explain);
      else if (one.kind === 'action') this.#payAction(one, explain);
    }
  }

  #pay(heard: Heard & { kind: 'named' }, explain: () => string): void {
    const owed = this.#named.get(heard.key) ?? [];
    const exact = owed.findIndex(({ codes }) => codes?.includes(heard.code ?? 0) === true);
    const fits = exact === -1 ? owed.findIndex(({ codes }) => codes === undefined) : exact;
    const codes = owed[0]?.codes?.join(' or ');
    expect(owed.length > 0, () => `an answer nobody asked for: ${shown(heard)} ${explain()}`);
    expect(fits !== -1, () => `code ${heard.code}, not ${codes}: ${shown(heard)} ${explain()}`);
    owed.splice(fits, 1);
  }

  #payBatch(parts: readonly Heard[], explain: () => string): void {
    const name = parts.map(nameOfHeard).sort().join(' ');
    const at = this.#batches.indexOf(name);
    // A batch may hold an id twice, or one that is taken back: then only its length is known, or not even that.
    const fits = (owed: string): boolean => this.#takenBack.size > 0 || owed.split(' ').length === parts.length;
    const loose = at === -1 ? this.#batches.findIndex(fits) : at;
    expect(loose !== -1, () => `a batch nobody asked for: ${shown(parts)} ${explain()}`);
    this.#batches.splice(loose, 1);
  }

  /** Actions are answered in the order they came. */
  #payAction(heard: Heard & { kind: 'action' }, explain: () => string): void {
    const due = this.#actions.shift();
    expect(due !== undefined, () => `an action reply nobody asked for: ${shown(heard)} ${explain()}`);
    expect(due.id === heard.id, () => `an action reply out of order: ${shown(heard)}, due ${shown(due)} ${explain()}`);
    expect(!(due.refused && heard.ok), () => `an action that should be refused: ${explain()}`);
  }

  close(): void {
    for (const [key, owed] of this.#named) {
      const missing = owed.filter(({ optional }) => optional !== true);
      expect(missing.length === 0 || this.#takenBack.has(key), () => `no answer to ${shown(key)}`);
    }
    const batched = this.#batches.length === 0 || this.#takenBack.size > 0;
    expect(batched, () => `no answer to a batch: ${shown(this.#batches)}`);
    expect(this.#actions.length === 0, () => `no answer to ${this.#actions.length} actions`);
  }
}

function nameOfDue(due: Due): string {
  return due.kind === 'named' ? encodeURIComponent(escapeHalves(keyOf(due.id))) : '-';
}

function nameOfHeard(heard: Heard): string {
  return heard.kind === 'named' ? encodeURIComponent(escapeHalves(heard.key)) : '-';
}

function escapeHalves(text: string): string {
  return text.replace(/[\ud800-\udfff]/g, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
}
