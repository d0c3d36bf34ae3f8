import type { Node } from '../oracle/json.ts';
import type { Random } from '../random.ts';
import { KEYS, oddNode, strayNode } from './values.ts';

// Mutations that know what JSON is: a member is dropped, renamed, said twice, given another value or another place.

interface Change {
  readonly random: Random;
  /** Good messages to take pieces from. */
  readonly stock: readonly Node[];
}

/** A message with something about it changed. */
export function changeNode(node: Node, change: Change): Node {
  const { random } = change;
  if (node.kind === 'object' && node.members.length > 0 && !random.once(4)) return changeObject(node, change);
  if (node.kind === 'array' && node.items.length > 0 && !random.once(4)) return changeArray(node, change);
  return replaced(node, change);
}

function replaced(node: Node, { random, stock }: Change): Node {
  switch (random.below(6)) {
    case 0:
      return strayNode(random, stock);
    case 1:
      return { kind: 'array', items: [node] };
    case 2:
      return { kind: 'object', members: [[random.pick(KEYS), node]] };
    default:
      return oddNode(random);
  }
}

function changeObject(node: Node & { kind: 'object' }, change: Change): Node {
  const { random } = change;
  const members = [...node.members];
  const at = random.below(members.length);
  const [key, value] = members[at] as readonly [string, Node];
  switch (random.below(10)) {
    case 0:
      members.splice(at, 1);
      break;
    case 1:
      members.splice(at, 1, [oddKey(key, random), value]);
      break;
    case 2:
      // The same member again, with another value: the last one counts.
      members.splice(random.below(members.length + 1), 0, [key, replaced(value, change)]);
      break;
    case 3:
      members.push([random.pick(KEYS), replaced(value, change)]);
      break;
    case 4:
      members.reverse();
      break;
    default:
      members[at] = [key, changeNode(value, change)];
  }
  return { kind: 'object', members };
}

function oddKey(key: string, random: Random): string {
  switch (random.below(5)) {
    case 0:
      return key.toUpperCase();
    case 1:
      return `${key}\u0000`;
    case 2:
      return ` ${key}`;
    case 3:
      return key.slice(0, -1);
    default:
      return random.pick(KEYS);
  }
}

function changeArray(node: Node & { kind: 'array' }, change: Change): Node {
  const { random } = change;
  const items = [...node.items];
  const at = random.below(items.length);
  switch (random.below(4)) {
    case 0:
      items.splice(at, 1);
      break;
    case 1:
      items.push(...random.many(items, 1 + random.small(20)));
      break;
    default:
      items[at] = changeNode(items[at] as Node, change);
  }
  return { kind: 'array', items };
}
