/** Signs of life and of the house between replicas, which no call has to wait for. */
const OF_NOBODY = /^(PING|HELLO|CLIENT|SUBSCRIBE|UNSUBSCRIBE|SELECT)$/i;
const BETWEEN_REPLICAS = 'replica/';

/** Counts the commands that clients send to Redis on behalf of calls. */
export class CommandCounter {
  /** How many so far, by name. */
  readonly commands = new Map<string, number>();

  get total(): number {
    return [...this.commands.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Reads what one connection sends. */
  listener(): (bytes: Buffer) => void {
    let rest = Buffer.alloc(0);
    return (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      for (let read = readCommand(rest); read !== undefined; read = readCommand(rest)) {
        rest = rest.subarray(read.length);
        this.#count(read.words);
      }
    };
  }

  #count([name = '', ...rest]: readonly string[]): void {
    if (OF_NOBODY.test(name) || rest.some((word) => word.includes(BETWEEN_REPLICAS))) return;
    this.commands.set(name, (this.commands.get(name) ?? 0) + 1);
  }
}

/** The first whole command in some bytes: an array of texts, each with its length. */
function readCommand(bytes: Buffer): { words: string[]; length: number } | undefined {
  const head = readNumber(bytes, 0, '*');
  if (head === undefined) return undefined;
  const words: string[] = [];
  let at = head.next;
  for (let word = 0; word < head.value; word += 1) {
    const size = readNumber(bytes, at, '$');
    if (size === undefined || bytes.length < size.next + size.value + 2) return undefined;
    words.push(bytes.toString('latin1', size.next, size.next + size.value));
    at = size.next + size.value + 2;
  }
  return { words, length: at };
}

function readNumber(bytes: Buffer, at: number, sign: string): { value: number; next: number } | undefined {
  const end = bytes.indexOf('\r\n', at);
  if (end === -1) return undefined;
  const line = bytes.toString('latin1', at, end);
  if (!line.startsWith(sign)) throw new Error(`Not a command: ${line.slice(0, 40)}`);
  return { value: Number(line.slice(1)), next: end + 2 };
}
