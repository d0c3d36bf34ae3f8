/** What an evaluation spends at most; an engine may have more budgets of its own. */
export interface Limits {
  readonly timeMs: number;
  readonly outputChars: number;
}

export interface EvaluateRequest {
  readonly code: string;
  /** The package to evaluate in, for this call only. */
  readonly package?: string | undefined;
  readonly limits: Limits;
  readonly signal?: AbortSignal | undefined;
}

/** What went wrong: the type of the condition and what it says. */
export interface Problem {
  readonly type: string;
  readonly message: string;
}

/** Everything one evaluation gave, kept apart. */
export interface Evaluation {
  /** The values of the last form, as the reader would take them back. */
  readonly values: readonly string[];
  readonly output: string;
  readonly errorOutput: string;
  /** Characters of output that were dropped. */
  readonly dropped: number;
  readonly warnings: readonly Problem[];
  readonly error: Problem | undefined;
  /** The package the session is in afterwards. */
  readonly package: string;
  readonly realMs: number;
  readonly bytes: number;
  /** What was stopped was so large that the session began anew. */
  readonly restarted: boolean;
}

export const DEFINITION_KINDS = [
  'function',
  'macro',
  'variable',
  'class',
  'structure',
  'condition',
  'type',
  'method',
] as const;
export type DefinitionKind = (typeof DEFINITION_KINDS)[number];

export interface Definition {
  readonly kind: DefinitionKind;
  readonly name: string;
}

export const SYMBOL_KINDS = ['function', 'macro', 'variable', 'class', 'generic-function'] as const;
export type SymbolKind = (typeof SYMBOL_KINDS)[number];

/** A symbol and what it names. */
export interface Match {
  readonly name: string;
  readonly kinds: readonly string[];
}

export interface Syntax {
  readonly forms: number;
  readonly error?: string;
  readonly line?: number;
  readonly column?: number;
  /** Lists that were opened and never closed. */
  readonly unclosed?: number;
}

export interface Named {
  readonly name: string;
  readonly package?: string | undefined;
}

export interface Search {
  readonly pattern: string;
  readonly package?: string | undefined;
  readonly names?: SymbolKind | undefined;
}

export interface Expansion {
  readonly form: string;
  readonly full: boolean;
  readonly package?: string | undefined;
  readonly limits: Limits;
}

/** A Lisp with one session: what both engines promise. */
export interface LispEngine {
  evaluate(request: EvaluateRequest): Promise<Evaluation>;
  /** Forgets everything the session defined. */
  reset(): Promise<void>;
  /** What the session defined, newest first. */
  definitions(): Promise<readonly Definition[]>;
  /** What a symbol names, in lines; `undefined` when there is no such symbol. */
  describe(symbol: Named): Promise<string | undefined>;
  apropos(search: Search): Promise<readonly Match[]>;
  expand(request: Expansion): Promise<Evaluation>;
  validate(code: string): Promise<Syntax>;
  close(): Promise<void>;
}
