import type { Link } from './link.ts';
import type { Script } from './scripts.ts';
import { isUnknownScript } from './trouble.ts';

/** Names keys and sends commands about them. Every command is about one key, so a cluster needs no hash tags. */
export class Keys {
  readonly #link: Link;
  readonly #prefix: string;

  constructor(link: Link, prefix: string) {
    this.#link = link;
    this.#prefix = prefix;
  }

  /** The key, or channel, of a thing: its kind keeps a log and a record of the same name apart. */
  name(kind: 'r' | 'l' | 't' | 'c' | 'i', name: string): string {
    return `${this.#prefix}${kind}:${name}`;
  }

  send(key: string, args: readonly string[]): Promise<unknown> {
    return this.#link.use((wire) => wire.send(key, args));
  }

  /** Sends a command to one of the servers that share the keys, and says whether it is the last of them. */
  sendTo(server: number, args: readonly string[]): Promise<{ readonly reply: unknown; readonly last: boolean }> {
    return this.#link.use(async (wire) => ({
      reply: await wire.sendTo(server, args),
      last: server + 1 >= wire.servers(),
    }));
  }

  run({ digest, source }: Script, key: string, args: readonly (string | number)[]): Promise<unknown> {
    const rest = ['1', key, ...args.map(String)];
    return this.#link.use((wire) =>
      wire.send(key, ['EVALSHA', digest, ...rest]).catch((error) => {
        if (!isUnknownScript(error)) throw error;
        return wire.send(key, ['EVAL', source, ...rest]);
      }),
    );
  }
}
