import { classOf } from '../engine/classes.ts';
import { Char, charOf, Func, Many, NIL, Str, Sym, T, type Value } from '../engine/data.ts';
import { bool, items } from '../engine/lists.ts';
import { meter } from '../engine/meter.ts';
import { namesOf } from '../engine/names.ts';
import type { Native, Natives } from '../engine/native.ts';
import { index } from '../engine/numbers.ts';
import { Input, Instance, Output } from '../engine/objects.ts';
import { raise } from '../engine/raise.ts';
import { positionOf, ReadFault } from '../engine/read-tokens.ts';
import { Reader } from '../engine/reader.ts';
import { call, type World } from '../engine/world.ts';
import { formatted } from './format.ts';
import { span } from './sequence.ts';
import { packageOf } from './symbols.ts';
import { stringIn } from './text.ts';

/** The stream an output argument stands for. */
export function outputOf(value: Value | undefined, world: World): Output {
  if (value instanceof Output) return value;
  if (value !== undefined && value !== NIL && value !== T) return raise.type(value, 'STREAM');
  const current = world.sym('*STANDARD-OUTPUT*').value;
  return current instanceof Output ? current : world.stdout;
}

function inputOf(value: Value | undefined, world: World): Input {
  if (value instanceof Input) return value;
  if (value !== undefined && value !== NIL && value !== T) return raise.type(value, 'STREAM');
  const current = world.sym('*STANDARD-INPUT*').value;
  return current instanceof Input ? current : world.stdin;
}

const printer =
  (readable: boolean, before = '', after = ''): Native =>
  ([value, stream], _, world) => {
    outputOf(stream, world).write(before + world.hooks.print(value, readable) + after);
    return value;
  };

function format([destination, control, ...args]: Value[], world: World): Value {
  const target = destination as Value;
  const made = (column: number) =>
    control instanceof Func
      ? viaFunction(control, args, world)
      : formatted(stringIn(control as Value).text, args, { world, column });
  if (target === NIL) return new Str(made(0));
  if (target instanceof Str) {
    target.text += made(0);
    return NIL;
  }
  const stream = outputOf(target, world);
  stream.write(made(stream.column));
  return NIL;
}

function viaFunction(fn: Func, args: Value[], world: World): string {
  const stream = new Output();
  call(fn, [stream, ...args]);
  return stream.text === '' && world.stdout === undefined ? '' : stream.text;
}

/** Turns a text that cannot be read into the condition a program expects. */
export function readFault(fault: ReadFault, text: string): never {
  const { line, column } = positionOf(text, fault.offset);
  return raise.error(
    fault.ended ? 'END-OF-FILE' : 'READER-ERROR',
    `${fault.message} at line ${line}, column ${column}`,
  );
}

function readFrom(text: string, at: number, world: World): { value: Value | undefined; at: number } {
  const reader = new Reader(text, namesOf(world), at);
  try {
    return { value: reader.next(), at: reader.at };
  } catch (thrown) {
    if (thrown instanceof ReadFault) return readFault(thrown, text);
    throw thrown;
  }
}

function ended(strict: Value | undefined, otherwise: Value | undefined): Value {
  return strict === NIL ? (otherwise ?? NIL) : raise.error('END-OF-FILE', 'end of file');
}

const lineOf: Native = ([stream, strict, otherwise], _, world) => {
  const input = inputOf(stream, world);
  if (input.at >= input.text.length) return ended(strict, otherwise);
  const end = input.text.indexOf('\n', input.at);
  const line = input.text.slice(input.at, end === -1 ? undefined : end);
  input.at = end === -1 ? input.text.length : end + 1;
  return new Many([new Str(line), bool(end === -1)]);
};

const charFrom =
  (taken: boolean): Native =>
  ([stream, strict, otherwise], _, world) => {
    const input = inputOf(stream, world);
    const code = input.text.codePointAt(input.at);
    if (code === undefined) return ended(strict, otherwise);
    if (taken) input.at += code > 0xffff ? 2 : 1;
    return charOf(code);
  };

export const IO: Natives = {
  'prin1 value &optional stream': printer(true),
  'princ value &optional stream': printer(false),
  'print value &optional stream': printer(true, '\n', ' '),
  'pprint value &optional stream': ([value, stream], keys, world) => {
    printer(true, '\n')([value, stream as Value, NIL, NIL], keys, world);
    return new Many([]);
  },
  'write value &key stream escape base': ([value], { stream, escape: readable }, world) => {
    outputOf(stream, world).write(world.hooks.print(value, readable !== NIL));
    return value;
  },
  'write-string string &optional stream &key start end': ([value, stream], { start, end }, world) => {
    const bounds = span(stringIn(value).length, start, end);
    outputOf(stream, world).write(stringIn(value).slice(bounds.start, bounds.end));
    return value;
  },
  'write-line string &optional stream': ([value, stream], _, world) => {
    outputOf(stream, world).write(`${stringIn(value).text}\n`);
    return value;
  },
  'write-char char &optional stream': ([char, stream], _, world) => {
    outputOf(stream, world).write(char instanceof Char ? char.text : raise.type(char, 'CHARACTER'));
    return char;
  },
  'terpri &optional stream': ([stream], _, world) => {
    outputOf(stream, world).write('\n');
    return NIL;
  },
  'fresh-line &optional stream': ([stream], _, world) => {
    const output = outputOf(stream, world);
    if (output.column === 0) return NIL;
    output.write('\n');
    return T;
  },
  'finish-output &optional stream': () => NIL,
  'force-output &optional stream': () => NIL,
  'clear-output &optional stream': () => NIL,
  'format destination control &rest args': (args, _, world) => format(args, world),
  'prin1-to-string value': ([value], _, world) => new Str(world.hooks.print(value, true)),
  'princ-to-string value': ([value], _, world) => new Str(world.hooks.print(value, false)),
  'write-to-string value &key escape base': ([value], { escape: readable, base }, world) => {
    const height = world.bound;
    try {
      if (base !== undefined) world.bind(world.sym('*PRINT-BASE*'), base);
      return new Str(world.hooks.print(value, readable !== NIL));
    } finally {
      world.unbind(height);
    }
  },
  'make-string-output-stream &key element-type': () => new Output(),
  'get-output-stream-string stream': ([stream]) => new Str((stream as Output).take()),
  'make-string-input-stream string &optional start end': ([value, start, end]) => {
    const bounds = span(stringIn(value).length, start, end);
    return new Input(stringIn(value).slice(bounds.start, bounds.end));
  },
  'read-from-string string &optional eof-error-p eof-value &key start end preserve-whitespace': (
    [value, strict, otherwise],
    { start },
    world,
  ) => {
    const { value: form, at } = readFrom(stringIn(value).text, start === undefined ? 0 : index(start), world);
    const text = stringIn(value).text;
    const skipped = form !== undefined && /\s/.test(text[at] ?? '') && !text.slice(0, at).endsWith(')');
    return new Many([form ?? ended(strict, otherwise), BigInt(skipped ? at + 1 : at)]);
  },
  'read &optional stream eof-error-p eof-value recursive-p': ([stream, strict, otherwise], _, world) => {
    const input = inputOf(stream, world);
    const { value, at } = readFrom(input.text, input.at, world);
    input.at = at;
    return value ?? ended(strict, otherwise);
  },
  'read-line &optional stream eof-error-p eof-value recursive-p': lineOf,
  'read-char &optional stream eof-error-p eof-value recursive-p': charFrom(true),
  'peek-char &optional type stream eof-error-p eof-value': ([type, stream, strict, otherwise], keys, world) => {
    const input = inputOf(stream, world);
    while (type === T && /\s/.test(input.text[input.at] ?? '')) input.at++;
    return charFrom(false)([input, strict, otherwise as Value, NIL], keys, world);
  },
  'unread-char char &optional stream': ([char, stream], _, world) => {
    inputOf(stream, world).at -= (char as Char).text.length;
    return NIL;
  },
  'streamp value': ([value]) => bool(value instanceof Output || value instanceof Input),
  'output-stream-p value': ([value]) => bool(value instanceof Output),
  'input-stream-p value': ([value]) => bool(value instanceof Input),
  'close stream &optional abort': () => T,
  'describe value &optional stream': ([value, stream], _, world) => {
    outputOf(stream, world).write(description(value, world));
    return new Many([]);
  },
  'apropos text &optional package': ([text, from], _, world) => {
    const found = items(call(world.sym('APROPOS-LIST'), from === undefined ? [text] : [text, packageOf(from, world)]));
    for (const symbol of found) outputOf(undefined, world).write(`${world.hooks.print(symbol, true)}\n`);
    return new Many([]);
  },
  'get-internal-real-time': () => BigInt(Math.round(performance.now() * 1000)),
  'get-internal-run-time': () => BigInt(Math.round(performance.now() * 1000)),
  'get-universal-time': () => BigInt(Math.floor(Date.now() / 1000)) + 2_208_988_800n,
  'lisp-implementation-type': () => new Str('Parley Lisp'),
  'lisp-implementation-version': () => new Str('1'),
  'break &optional control &rest args': () => NIL,
  '%time thunk': ([thunk], _, world) => {
    const [start, bytes] = [performance.now(), meter.bytes];
    const value = call(thunk, []);
    const output = world.sym('*TRACE-OUTPUT*').value;
    outputOf(output, world).write(
      `Evaluation took:\n  ${((performance.now() - start) / 1000).toFixed(3)} seconds of real time\n  ${bytes - meter.bytes} bytes counted\n`,
    );
    return value;
  },
  '%unreadable object stream type thunk': ([object, stream, type, thunk], _, world) => {
    const output = outputOf(stream, world);
    output.write(`#<${type === NIL ? '' : world.hooks.print(classOf(object, world).name, true)}`);
    if (thunk !== NIL) {
      if (type !== NIL) output.write(' ');
      call(thunk, []);
    }
    output.write('>');
    return NIL;
  },
};

/** What is known of a value, in lines. */
export function description(value: Value, world: World): string {
  const lines = [`${world.hooks.print(value, true)}`, `  [${classOf(value, world).name.name.toLowerCase()}]`];
  if (value instanceof Sym) lines.push(...symbolLines(value, world));
  if (value instanceof Instance) {
    for (const [at, slot] of value.type.slots.entries())
      lines.push(
        `  ${slot.name.name} = ${value.slots[at] === undefined ? 'unbound' : world.hooks.print(value.slots[at] as Value, true)}`,
      );
  }
  if (value instanceof Func && value.lambda !== '') lines.push(`  Lambda-list: (${value.lambda})`);
  return `${lines.join('\n')}\n`;
}

function symbolLines(symbol: Sym, world: World): string[] {
  return [...valueLines(symbol, world), ...functionLines(symbol, world), ...classLines(symbol, world)];
}

function valueLines({ name, value, constant }: Sym, world: World): string[] {
  const text = world.documents.get(`variable ${name}`);
  const told = text === undefined ? [] : [`    Documentation: ${text}`];
  if (value === undefined) return told;
  const kind = constant ? 'constant' : 'variable';
  return [`  ${name} names a ${kind}; its value is ${world.hooks.print(value, true)}`, ...told];
}

function functionLines(symbol: Sym, world: World): string[] {
  const { name, fn, macro } = symbol;
  const callable = fn ?? macro;
  if (callable !== undefined) {
    const told = callable.documentation === undefined ? [] : [`    Documentation: ${callable.documentation}`];
    return [
      `  ${name} names a ${macro === undefined ? 'function' : 'macro'}:`,
      `    Lambda-list: (${callable.lambda})`,
      ...told,
    ];
  }
  if (world.specials.has(symbol)) return [`  ${name} names a special operator of the language`];
  return world.rewrites.has(symbol) ? [`  ${name} names a macro of the language`] : [];
}

function classLines(symbol: Sym, world: World): string[] {
  const type = world.classes.get(symbol);
  if (type === undefined) return [];
  const slots = type.slots.map((slot) => slot.name.name).filter((name) => !name.startsWith('%'));
  return [`  ${symbol.name} names a ${type.kind} class; slots: ${slots.join(' ') || 'none'}`];
}
