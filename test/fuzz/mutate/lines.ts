import { type Node, write } from '../oracle/json.ts';
import type { Random } from '../random.ts';
import { changeBytes, changeTokens } from './bytes.ts';
import { changeNode } from './structure.ts';
import { idNode, oddText } from './values.ts';

/** Makes lines out of good messages, most of them wrong in one way or several. */
export class LineMaker {
  readonly #stock: readonly Node[];
  readonly #longest: number;
  #number = 0;

  /** `longest` is the limit some lines go beyond. */
  constructor(stock: readonly Node[], longest: number) {
    this.#stock = stock;
    this.#longest = longest;
  }

  line(random: Random): Buffer {
    const node = this.#message(random);
    switch (random.below(16)) {
      case 0:
        return Buffer.from(oddText(random));
      case 1:
        return this.#batch(node, random);
      case 2:
      case 3:
        return Buffer.from(changeTokens(write(node), random));
      case 4:
      case 5:
      case 6:
        return changeBytes(Buffer.from(write(node)), random);
      case 7:
        return this.#rare(node, random);
      default:
        return Buffer.from(write(this.#changed(node, random)));
    }
  }

  /** A good message under an id of its own. */
  #message(random: Random): Node {
    const node = random.pick(this.#stock);
    if (node.kind !== 'object') return node;
    const members = node.members.map(([key, value]): readonly [string, Node] =>
      key === 'id' && value.kind === 'raw' ? [key, idNode(random, () => ++this.#number)] : [key, value],
    );
    return { kind: 'object', members };
  }

  #changed(node: Node, random: Random): Node {
    let changed = node;
    for (let times = random.small(4); times >= 0; times -= 1) {
      changed = changeNode(changed, { random, stock: this.#stock });
    }
    return changed;
  }

  #batch(node: Node, random: Random): Buffer {
    const items = [node];
    for (let more = random.small(random.once(8) ? 120 : 5); more > 0; more -= 1) {
      const next = this.#message(random);
      items.push(random.once(2) ? next : this.#changed(next, random));
    }
    return Buffer.from(write({ kind: 'array', items }));
  }

  #rare(node: Node, random: Random): Buffer {
    const text = write(node);
    switch (random.below(10)) {
      case 0:
        return Buffer.from(text.padEnd(this.#longest + random.below(3) - 1));
      case 1:
        return Buffer.alloc(this.#longest + 1 + random.below(100), random.pick(['x', ' ', '[', '"']));
      case 2:
        return Buffer.from(`${text}\r`);
      case 3:
        return Buffer.from(`\ufeff${text}`);
      case 4:
        return Buffer.from(random.pick(['', ' ', '\t', '\r', ' \t\r', '\u00a0', '\f', '\0']));
      case 5:
        return Buffer.from(`${text}${text}`);
      case 6:
        return Buffer.from(text.replaceAll(/[a-z]/g, (char) => (random.once(6) ? escaped(char) : char)));
      case 7:
        return Buffer.from(text.replaceAll(/([{}[\],:])/g, ' $1\t'));
      default:
        return Buffer.from(text);
    }
  }
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
