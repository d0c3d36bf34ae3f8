import { NIL, Sym, T, type Value } from './data.ts';
import type { Names } from './reader.ts';
import type { World } from './world.ts';

const FEATURES = new Set(['COMMON-LISP', 'ANSI-CL', 'PARLEY']);

/** The names a text means in a world. */
export function namesOf(world: World): Names {
  const base = world.sym('*READ-BASE*').value;
  return {
    radix: typeof base === 'bigint' ? Number(base) : 10,
    language: (name) => world.sym(name),
    feature: (name) => FEATURES.has(name),
    symbol: (name, home, internal) => symbolOf({ name, home, internal }, world),
  };
}

function symbolOf(
  { name, home, internal }: { name: string; home: string | undefined; internal: boolean },
  world: World,
): Value | string {
  if (home === undefined) return world.intern(name, world.package);
  if (home === '') return world.key(name);
  const found = world.packages.get(home);
  if (found === undefined) return `package "${home}" does not exist`;
  if (internal)
    return found === world.cl || found === world.parley
      ? (found.find(name) ?? `symbol "${name}" not found in the ${home} package`)
      : world.intern(name, found);
  return found.external(name) ?? `symbol "${name}" not found as external in the ${home} package`;
}

/** Names without a world: enough to see whether a text can be read. */
export const anyNames: Names = {
  radix: 10,
  language: (name) => new Sym(name),
  feature: () => true,
  symbol: (name) => (name === 'NIL' ? NIL : name === 'T' ? T : new Sym(name)),
};
