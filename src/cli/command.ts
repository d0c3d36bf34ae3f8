/** What a command may use of the process it runs in. */
export interface Terminal {
  /** Machine output: one write a call. */
  print(text: string): void;
  /** Everything a person reads. */
  say(text: string): void;
  readonly env: NodeJS.ProcessEnv;
}

/** One command of the command line. */
export interface Command {
  /** One line for the list of commands. */
  readonly summary: string;
  /** The page `parley help <command>` shows. */
  readonly help: string;
  /** Resolves to the exit code. */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

/** Exit codes, as documented in `docs/cli.md`. */
export const EXIT = { ok: 0, failed: 1, usage: 2, unreachable: 3, refused: 4 } as const;

/** A mistake in how a command was called: said with a pointer to its help, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
