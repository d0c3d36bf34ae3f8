import { stat } from 'node:fs/promises';
import type { Verifier } from '../auth/auth.ts';
import { createStaticTokens, type Holds, type StaticToken } from '../auth/static-tokens.ts';
import type { Log } from '../model/log.ts';

export interface TokenFileOptions {
  readonly file: string;
  read(): readonly StaticToken[];
  /** How often a change is looked for. */
  readonly everyMs: number;
  readonly log: Log;
}

/**
 * Checks tokens against a file, and reads it again when it has changed. A file that cannot be used any more is told to
 * the log, and the tokens of before stay good: a slip of the pen must not lock everybody out. Throws for one that cannot
 * be used at the start. The timer holds no process.
 */
export function watchTokens({ file, read, everyMs, log }: TokenFileOptions): Required<Verifier> {
  const holds: Holds = (digest, principal) => tokens.holds(digest, principal);
  let tokens = createStaticTokens(read(), Date.now, holds);
  let seen: string | undefined;
  let looking = false;

  async function look(): Promise<void> {
    const mark = await markOf(file);
    const changed = seen !== undefined && mark !== seen;
    seen = mark;
    if (!changed) return;
    try {
      tokens = createStaticTokens(read(), Date.now, holds);
      log('info', 'The file of tokens was read again', { file });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log('error', 'The file of tokens has changed and cannot be used: the tokens of before stay good', { reason });
    }
  }

  function lookOnce(): void {
    if (looking) return;
    looking = true;
    void look().finally(() => {
      looking = false;
    });
  }

  lookOnce();
  setInterval(lookOnce, Math.max(1, everyMs)).unref();
  return { verify: (token) => tokens.verify(token), recall: (token) => tokens.recall(token) };
}

/** What changes when a file does, whoever writes it and however it is replaced. */
async function markOf(file: string): Promise<string> {
  try {
    const { mtimeNs, ctimeNs, size, ino } = await stat(file, { bigint: true });
    return `${mtimeNs}/${ctimeNs}/${size}/${ino}`;
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}
