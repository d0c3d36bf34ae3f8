import { requireBounds, requireWhole } from '../arguments.ts';
import type { AppendOptions, LogPage, Logs } from '../store.ts';
import type { Channels } from './channels.ts';
import type { Keys } from './keys.ts';
import { APPEND, READ, REMOVE_LOG } from './scripts.ts';

/** Logs as lists; their followers are woken by the command that writes. */
export class RedisLogs implements Logs {
  readonly #keys: Keys;
  readonly #channels: Channels;

  constructor(keys: Keys, channels: Channels) {
    this.#keys = keys;
    this.#channels = channels;
  }

  append(log: string, text: string, options: AppendOptions): Promise<number | undefined> {
    return this.#write(log, [text, options, '0']);
  }

  end(log: string, text: string, options: AppendOptions): Promise<number | undefined> {
    return this.#write(log, [text, options, '1']);
  }

  async read(log: string, after: number, limit = Number.MAX_SAFE_INTEGER): Promise<LogPage> {
    requireWhole('after', after, 0);
    requireWhole('limit', limit);
    const answer = await this.#keys.run(READ, this.#keys.name('l', log), [after, limit]);
    if (answer === null) return { entries: [], first: 1, next: 1, lost: after > 0, ended: false };
    const [first, next, ended, texts] = answer as [number, number, string, string[]];
    const from = Math.max(after + 1, first);
    const entries = texts.map((text, index) => ({ position: from + index, text }));
    return { entries, first, next, lost: after + 1 < first || after >= next, ended: ended === '1' };
  }

  async touch(log: string, ttlMs: number): Promise<boolean> {
    requireWhole('ttlMs', ttlMs);
    const name = this.#keys.name('l', log);
    return (await this.#keys.send(name, ['PEXPIRE', name, String(ttlMs)])) === 1;
  }

  async remove(log: string): Promise<boolean> {
    const name = this.#keys.name('l', log);
    return (await this.#keys.run(REMOVE_LOG, name, [name])) === 1;
  }

  follow(log: string, wake: () => void, missed: () => void = wake): Promise<() => void> {
    return this.#channels.join(this.#keys.name('l', log), () => wake(), missed);
  }

  async #write(
    log: string,
    [text, options, last]: readonly [text: string, options: AppendOptions, last: string],
  ): Promise<number | undefined> {
    requireBounds(options);
    const name = this.#keys.name('l', log);
    const { entries, bytes, ttlMs } = options;
    const position = await this.#keys.run(APPEND, name, [text, entries, bytes, ttlMs, name, last]);
    return typeof position === 'number' ? position : undefined;
  }
}
