import { Cons, Func, Pack, Str, Sym, Table, type Value, Vec } from './engine/data.ts';
import { Class, Instance, Output } from './engine/objects.ts';
import { type Exit, Frame } from './engine/scope.ts';
import type { World } from './engine/world.ts';

type Thing = Value | Frame | Exit | undefined;

/** About how many bytes everything a session can reach holds; counting ends soon after a limit. */
export function retained(world: World, limit: number): number {
  const seen = new Set<object>();
  const stack: Thing[] = [...world.packages.values(), ...world.plists.values()];
  let bytes = 0;
  while (stack.length > 0 && bytes <= limit) {
    const thing = stack.pop();
    if (typeof thing !== 'object' || seen.has(thing)) continue;
    seen.add(thing);
    bytes += sizeOf(thing);
    for (const part of partsOf(thing)) if (typeof part === 'object') stack.push(part);
  }
  return bytes;
}

function sizeOf(thing: object): number {
  if (thing instanceof Cons) return 32;
  if (thing instanceof Str) return 40 + thing.text.length * 2;
  if (thing instanceof Vec) return 64 + thing.items.length * 8;
  if (thing instanceof Table) return 200 + thing.entries.size * 96;
  if (thing instanceof Sym) return 160 + thing.name.length * 2;
  if (thing instanceof Frame) return 48 + thing.slots.length * 8;
  return thing instanceof Output ? thing.text.length * 2 : 96;
}

function partsOf(thing: object): Iterable<Thing> {
  if (thing instanceof Cons) return [thing.car, thing.cdr];
  if (thing instanceof Vec) return thing.items;
  if (thing instanceof Table) return [...thing.entries.values()].flat();
  if (thing instanceof Sym) return [thing.value, thing.fn, thing.macro, thing.setf];
  if (thing instanceof Pack) return thing.symbols.values();
  if (thing instanceof Func) return thing.held instanceof Frame ? [thing.held] : [];
  if (thing instanceof Frame) return [...thing.slots, thing.up];
  if (thing instanceof Instance) return [...thing.slots, thing.type];
  return thing instanceof Class ? thing.slots.map((slot) => slot.shared?.value) : [];
}
