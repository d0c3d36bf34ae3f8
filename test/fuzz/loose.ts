/** Notices what goes wrong while nobody waits for it. A promise to race against would keep a note of every race. */
export class Loose {
  error: Error | undefined;
  #listener: ((error: Error) => void) | undefined;

  constructor() {
    process.on('unhandledRejection', (reason) => this.#found('An unhandled rejection', reason));
    process.on('uncaughtException', (error) => this.#found('An uncaught exception', error));
    process.on('warning', (warning) => this.#found('A warning', warning));
  }

  /** Calls back as soon as something is wrong; only the last who asks is told. */
  listen(listener: ((error: Error) => void) | undefined): void {
    this.#listener = listener;
    if (this.error !== undefined) listener?.(this.error);
  }

  #found(what: string, cause: unknown): void {
    this.error ??= new Error(`${what}: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`);
    this.#listener?.(this.error);
  }
}
