import type {
  Definition,
  EvaluateRequest,
  Evaluation,
  Expansion,
  Limits,
  LispEngine,
  Match,
  Named,
  Search,
  Syntax,
} from './contract.ts';
import { type ChildOptions, findProgram, SbclChild } from './sbcl-child.ts';
import { imageOf } from './sbcl-core.ts';

const GRACE_MS = 2000;
const START_MS = 10_000;
const HEAP_MB = 512;

/** What a request is made of: keywords, texts, numbers and nothing. */
type Word = string | number | boolean | undefined;

/** The line a request is: strings quoted for the Lisp reader, newlines kept out of the way. */
function line(kind: string, ...words: readonly Word[]): string {
  return `(:${kind} ${words.map(word).join(' ')})`;
}

function word(value: Word): string {
  if (value === undefined || value === false) return 'nil';
  if (value === true) return 't';
  if (typeof value === 'number') return String(value);
  if (/[\r\n]/.test(value)) return encoded(value);
  return `"${value.replace(/[\\"]/g, '\\$&')}"`;
}

/** A text with line ends, as a list of codes: a request is one line. */
function encoded(text: string): string {
  return `(${[...text].map((char) => char.codePointAt(0)).join(' ')})`;
}

/** Where SBCL and bubblewrap are on this machine; `undefined` without SBCL. */
export function findSbcl(): ChildOptions | undefined {
  const program = findProgram('sbcl');
  return program === undefined ? undefined : { program, bubblewrap: findProgram('bwrap'), heapMb: HEAP_MB };
}

/** Steel Bank Common Lisp in a process of its own, started again whenever it is gone. */
export class SbclEngine implements LispEngine {
  readonly #options: ChildOptions;
  #child: SbclChild | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ChildOptions) {
    this.#options = options;
  }

  evaluate({ code, package: home, limits, signal }: EvaluateRequest): Promise<Evaluation> {
    return this.#evaluation(line('evaluate', code, home, limits.timeMs / 1000, limits.outputChars), limits, signal);
  }

  expand({ form, full, package: home, limits }: Expansion): Promise<Evaluation> {
    return this.#evaluation(line('expand', form, full, home, limits.timeMs / 1000, limits.outputChars), limits);
  }

  async reset(): Promise<void> {
    await this.close();
  }

  async definitions(): Promise<readonly Definition[]> {
    return listOf<Definition>(await this.#ask(line('definitions')));
  }

  async describe({ name, package: home }: Named): Promise<string | undefined> {
    const text = await this.#ask(line('describe', name, home));
    return typeof text === 'string' ? text : undefined;
  }

  async apropos({ pattern, package: home, names }: Search): Promise<readonly Match[]> {
    const found = listOf<Match>(await this.#ask(line('apropos', pattern.toUpperCase(), home)));
    const matches = found.map(({ name, kinds }) => ({ name, kinds: listOf<string>(kinds) }));
    return matches.filter(({ kinds }) => names === undefined || kinds.includes(names));
  }

  async validate(code: string): Promise<Syntax> {
    return (
      ((await this.#ask(line('validate', code))) as Syntax | undefined) ?? {
        forms: 0,
        error: 'the text could not be read in time',
      }
    );
  }

  async close(): Promise<void> {
    this.#child?.kill();
    this.#child = undefined;
  }

  async #evaluation(request: string, limits: Limits, signal?: AbortSignal): Promise<Evaluation> {
    const answer = (await this.#ask(request, { timeMs: limits.timeMs * 2, signal })) as
      | (Omit<Evaluation, 'error'> & { error: Evaluation['error'] | null })
      | undefined;
    if (answer?.values === undefined) return lost(limits);
    return {
      ...answer,
      values: listOf(answer.values),
      warnings: listOf(answer.warnings),
      error: answer.error ?? undefined,
    };
  }

  #ask(
    request: string,
    { timeMs = START_MS, signal }: { timeMs?: number; signal?: AbortSignal | undefined } = {},
  ): Promise<unknown> {
    const work = this.#last.then(async () => (await this.#start()).ask(request, timeMs + GRACE_MS, signal));
    this.#last = work;
    return work;
  }

  async #start(): Promise<SbclChild> {
    const image = await imageOf(this.#options.program);
    if (this.#child === undefined || this.#child.ended) this.#child = new SbclChild(this.#options, image);
    return this.#child;
  }
}

/** An empty list is written as an empty array or nothing. */
function listOf<T>(value: unknown): T[] {
  return Array.isArray(value) ? value : [];
}

function lost({ timeMs }: Limits): Evaluation {
  return {
    values: [],
    output: '',
    errorOutput: '',
    dropped: 0,
    warnings: [],
    error: {
      type: 'PARLEY:BUDGET-EXCEEDED',
      message: 'The Lisp process ended during the evaluation; the session began anew.',
    },
    package: 'COMMON-LISP-USER',
    realMs: timeMs,
    bytes: 0,
    restarted: true,
  };
}
