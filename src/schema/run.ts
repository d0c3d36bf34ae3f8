import { type Issue, NO_ISSUES, pointer } from './issue.ts';

/** Decides whether a value passes; what is wrong with it goes to the run. */
export type Rule = (value: unknown, run: Run) => boolean;

/** A compiled schema; the rule is filled in after the schemas inside it, so a schema may hold itself. */
export interface Node {
  rule: Rule;
}

/** How much one check may do. */
export interface Bounds {
  /** Most issues reported. */
  readonly issues: number;
  /** Most steps taken; a step is about one schema applied to one value. */
  readonly steps: number;
  /** Deepest nesting of schemas applied within schemas. */
  readonly depth: number;
}

/** How far off a failure shows a schema to be, to find the nearest of several. */
export const BLAME = { detail: 1, literal: 10, kind: 100 } as const;

/** Which members of one object or array a schema and the schemas it applied in place have looked at. */
export class Seen {
  everyKey = false;
  /** Items before this index have been looked at; infinite when all have. */
  prefix = 0;
  #keys: Set<string> | undefined;
  #items: Set<number> | undefined;

  addKey(key: string): void {
    this.#keys ??= new Set();
    this.#keys.add(key);
  }

  addItem(index: number): void {
    this.#items ??= new Set();
    this.#items.add(index);
  }

  hasKey(key: string): boolean {
    return this.everyKey || this.#keys?.has(key) === true;
  }

  hasItem(index: number): boolean {
    return index < this.prefix || this.#items?.has(index) === true;
  }

  get size(): number {
    return (this.#keys?.size ?? 0) + (this.#items?.size ?? 0);
  }

  /** Takes over what another has; the other is of no use after that. */
  merge(other: Seen): void {
    this.everyKey ||= other.everyKey;
    this.prefix = Math.max(this.prefix, other.prefix);
    if (this.#keys === undefined) this.#keys = other.#keys;
    else for (const key of other.#keys ?? []) this.#keys.add(key);
    if (this.#items === undefined) this.#items = other.#items;
    else for (const index of other.#items ?? []) this.#items.add(index);
  }
}

/** The state of one check: where it is, what it found, how much it may still do. */
export class Run {
  readonly path: (string | number)[] = [];
  readonly scope: object[] = [];
  steps = 0;
  depth = 0;
  /** Above zero nobody reads the issues, so the first failure decides. */
  quiet = 0;
  /** What the current schema has looked at, while anything in the document asks. */
  seen = new Seen();
  /** What the schema that just passed has looked at. */
  yielded = this.seen;
  blame = 0;
  #issues: Issue[] = [];
  #exhausted: Issue | undefined;
  readonly #bounds: Bounds;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  start(): void {
    this.steps = this.#bounds.steps;
    this.depth = this.#bounds.depth;
  }

  /** The issues found, and a clean state for the next check. */
  finish(): readonly Issue[] {
    const found = this.#exhausted === undefined ? this.#issues : [this.#exhausted];
    this.path.length = 0;
    this.scope.length = 0;
    this.quiet = 0;
    this.blame = 0;
    this.seen = new Seen();
    this.#issues = [];
    this.#exhausted = undefined;
    return found.length === 0 ? NO_ISSUES : found;
  }

  get exhausted(): boolean {
    return this.#exhausted !== undefined;
  }

  /** Records a failure; the message is made only if somebody will read it. */
  fail(message: string | (() => string), blame: number = BLAME.detail): false {
    if (this.quiet > 0) return false;
    this.blame += blame;
    this.#issues.push({ path: pointer(this.path), message: typeof message === 'string' ? message : message() });
    if (this.#issues.length >= this.#bounds.issues) this.quiet = Number.POSITIVE_INFINITY;
    return false;
  }

  /** Whether there is no reason to go on after an outcome: it is a failure nobody reads about, or the steps are used up. */
  decides(passed: boolean): boolean {
    return (!passed && this.quiet > 0) || this.steps < 0;
  }

  /** Takes `count` steps; false when none are left. */
  spend(count: number): boolean {
    this.steps -= count;
    return this.steps >= 0 || this.exhaust('is too complex to check');
  }

  /** Ends the check: whatever the schemas say from here on, the value does not pass. */
  exhaust(message: string): false {
    this.#exhausted ??= { path: pointer(this.path), message };
    this.steps = -1;
    this.quiet = Number.POSITIVE_INFINITY;
    return false;
  }

  /** Applies a schema to a member of the current value. */
  at(key: string | number, value: unknown, node: Node): boolean {
    this.path.push(key);
    const passed = node.rule(value, this);
    this.path.pop();
    return passed;
  }

  /** Whether a rule passes, without recording why not. */
  passes(rule: Rule, value: unknown): boolean {
    this.quiet += 1;
    const passed = rule(value, this);
    this.quiet -= 1;
    return passed;
  }

  /** What a rule has to say against a value, and how far off the value is. */
  gather(rule: Rule, value: unknown): { issues: Issue[]; blame: number } {
    const outer = { issues: this.#issues, blame: this.blame };
    this.#issues = [];
    this.blame = 0;
    rule(value, this);
    const found = { issues: this.#issues, blame: this.blame };
    this.#issues = outer.issues;
    this.blame = outer.blame;
    if (!this.exhausted) this.quiet = 0;
    return found;
  }

  /** Records issues gathered before. */
  repeat(issues: readonly Issue[], blame: number): void {
    if (this.quiet > 0) return;
    const room = this.#bounds.issues - this.#issues.length;
    this.#issues.push(...issues.slice(0, room));
    this.blame += blame;
    if (issues.length >= room) this.quiet = Number.POSITIVE_INFINITY;
  }
}
