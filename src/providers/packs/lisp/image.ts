import { installClasses } from './engine/classes.ts';
import { NIL, type Sym, T, type Value } from './engine/data.ts';
import { idleMeter } from './engine/meter.ts';
import { install, type Natives } from './engine/native.ts';
import { print } from './engine/printer.ts';
import { type Rewrite, type Special, World } from './engine/world.ts';
import { BINDING, QUASI } from './forms/binding.ts';
import { CLASS_REWRITES, CLASSES } from './forms/classes.ts';
import { CONTROL } from './forms/control.ts';
import { DEFINITIONS, PACKAGES as PACKAGE_FORMS } from './forms/definitions.ts';
import { EXITS } from './forms/exits.ts';
import { HANDLING, HANDLING_REWRITES } from './forms/handling.ts';
import { ITERATION } from './forms/iteration.ts';
import { LOOP } from './forms/loop.ts';
import { PLACES } from './forms/places.ts';
import { STRUCTURES } from './forms/structures.ts';
import { VALUES } from './forms/values.ts';
import { ASSOCIATIONS } from './functions/associations.ts';
import { BITS } from './functions/bits.ts';
import { CONTROL_FUNCTIONS, PREDICATES } from './functions/control.ts';
import { formatted } from './functions/format.ts';
import { IO } from './functions/io.ts';
import { LISTS } from './functions/lists.ts';
import { NUMBERS } from './functions/numbers.ts';
import { installGenerics, OBJECTS } from './functions/objects.ts';
import { REMOVING } from './functions/removing.ts';
import { SEQUENCES } from './functions/sequences.ts';
import { PACKAGES, SYMBOLS } from './functions/symbols.ts';
import { ARRAYS, TABLES } from './functions/tables.ts';
import { CHARACTERS, STRINGS } from './functions/text.ts';

/** Every operator that is no function, by family. */
export const OPERATORS: Readonly<Record<string, Readonly<Record<string, Special | Rewrite>>>> = {
  control: { ...CONTROL, ...VALUES, ...EXITS },
  binding: BINDING,
  definitions: { ...DEFINITIONS, ...PACKAGE_FORMS, ...STRUCTURES },
  iteration: { ...ITERATION, ...LOOP },
  places: PLACES,
  conditions: { ...HANDLING, ...HANDLING_REWRITES },
  objects: { ...CLASSES, ...CLASS_REWRITES },
};

/** Every function, by family. */
export const FUNCTIONS: Readonly<Record<string, Natives>> = {
  numbers: NUMBERS,
  bits: BITS,
  lists: LISTS,
  'association lists, property lists, sets, trees': ASSOCIATIONS,
  sequences: { ...SEQUENCES, ...REMOVING },
  strings: STRINGS,
  characters: CHARACTERS,
  arrays: ARRAYS,
  'hash tables': TABLES,
  symbols: SYMBOLS,
  packages: PACKAGES,
  'equality and types': PREDICATES,
  'control and conditions': CONTROL_FUNCTIONS,
  'input and output': IO,
  objects: OBJECTS,
};

const SPECIALS = [CONTROL, VALUES, EXITS, BINDING, DEFINITIONS, STRUCTURES, HANDLING, CLASSES];
const REWRITES = [QUASI, PACKAGE_FORMS, ITERATION, LOOP, PLACES, HANDLING_REWRITES, CLASS_REWRITES];

const CONSTANTS: Readonly<Record<string, Value>> = {
  PI: Math.PI,
  'MOST-POSITIVE-FIXNUM': 2n ** 62n - 1n,
  'MOST-NEGATIVE-FIXNUM': -(2n ** 62n),
  'MOST-POSITIVE-DOUBLE-FLOAT': Number.MAX_VALUE,
  'MOST-NEGATIVE-DOUBLE-FLOAT': -Number.MAX_VALUE,
  'LEAST-POSITIVE-DOUBLE-FLOAT': Number.MIN_VALUE,
  'DOUBLE-FLOAT-EPSILON': 1.1102230246251568e-16,
  'ARRAY-DIMENSION-LIMIT': 2n ** 62n,
  'CHAR-CODE-LIMIT': 0x110000n,
  'INTERNAL-TIME-UNITS-PER-SECOND': 1_000_000n,
  'CALL-ARGUMENTS-LIMIT': 4096n,
  'MULTIPLE-VALUES-LIMIT': 4096n,
};

const VARIABLES: Readonly<Record<string, Value>> = {
  '*PRINT-BASE*': 10n,
  '*PRINT-RADIX*': NIL,
  '*PRINT-CASE*': NIL,
  '*PRINT-LENGTH*': NIL,
  '*PRINT-LEVEL*': NIL,
  '*PRINT-CIRCLE*': NIL,
  '*PRINT-ARRAY*': T,
  '*PRINT-ESCAPE*': T,
  '*PRINT-READABLY*': NIL,
  '*PRINT-PRETTY*': NIL,
  '*PRINT-GENSYM*': T,
  '*READ-BASE*': 10n,
  '*READ-EVAL*': NIL,
  '*RANDOM-STATE*': NIL,
  '*GENSYM-COUNTER*': 1n,
  '*FEATURES*': NIL,
  '*': NIL,
  '**': NIL,
  '***': NIL,
  '+': NIL,
  '-': NIL,
  '/': NIL,
};

const STREAMS = [
  '*STANDARD-OUTPUT*',
  '*ERROR-OUTPUT*',
  '*TRACE-OUTPUT*',
  '*STANDARD-INPUT*',
  '*QUERY-IO*',
  '*TERMINAL-IO*',
  '*DEBUG-IO*',
];
const WORDS = [
  '&OPTIONAL',
  '&REST',
  '&BODY',
  '&KEY',
  '&AUX',
  '&ALLOW-OTHER-KEYS',
  '&WHOLE',
  '&ENVIRONMENT',
  'DECLARE',
  'SPECIAL',
  'IGNORE',
  'IGNORABLE',
  'OPTIMIZE',
  'SPEED',
  'SAFETY',
  'DEBUG',
  'TYPE',
  'FTYPE',
  'INLINE',
  'NOTINLINE',
  'DYNAMIC-EXTENT',
  'OTHERWISE',
  'CALL-NEXT-METHOD',
  'NEXT-METHOD-P',
  'COMPILE-TOPLEVEL',
  'SATISFIES',
  'MOD',
  'MEMBER',
  'FIXNUM',
  'BIGNUM',
  'BIT',
  'BOOLEAN',
  'KEYWORD',
  'SIGNED-BYTE',
  'UNSIGNED-BYTE',
  'SIMPLE-STRING',
  'BASE-STRING',
  'SIMPLE-BASE-STRING',
  'SIMPLE-VECTOR',
  'SIMPLE-ARRAY',
  'SIMPLE-BIT-VECTOR',
  'BASE-CHAR',
  'STANDARD-CHAR',
  'COMPILED-FUNCTION',
  'SINGLE-FLOAT',
  'SHORT-FLOAT',
  'LONG-FLOAT',
  'ATOM',
  'STRUCTURE',
  'VARIABLE',
  'MUFFLE-WARNING',
  'USE-VALUE',
  'STORE-VALUE',
  'ABORT',
  'CONTINUE',
];

/** Makes a fresh world with the whole language in it. */
export function createWorld(): World {
  idleMeter();
  const world = new World();
  for (const name of WORDS) world.sym(name);
  for (const table of SPECIALS)
    for (const [name, special] of Object.entries(table)) world.specials.set(world.sym(name), special);
  for (const table of REWRITES)
    for (const [name, rewrite] of Object.entries(table)) world.rewrites.set(world.sym(name), rewrite);
  for (const natives of Object.values(FUNCTIONS)) install(world, natives);
  installClasses(world);
  installGenerics(world);
  defineVariables(world);
  world.hooks.print = (value, readable) => print(value, world, readable);
  world.hooks.format = (control, args) => formatted(control, args, { world });
  return world;
}

function defineVariables(world: World): void {
  const define = (name: string, value: Value): Sym => {
    const symbol = world.sym(name);
    symbol.value = value;
    symbol.special = true;
    return symbol;
  };
  for (const [name, value] of Object.entries(CONSTANTS)) define(name, value).constant = true;
  for (const [name, value] of Object.entries(VARIABLES)) define(name, value);
  for (const name of STREAMS) define(name, name === '*STANDARD-INPUT*' ? world.stdin : world.stdout);
  define('*PRINT-CASE*', world.key('UPCASE'));
  define('*READ-DEFAULT-FLOAT-FORMAT*', world.sym('DOUBLE-FLOAT'));
  define('*PACKAGE*', world.user);
}
