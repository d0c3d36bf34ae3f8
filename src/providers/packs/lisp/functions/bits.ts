import { Cons, NIL, type Value } from '../engine/data.ts';
import { bool } from '../engine/lists.ts';
import { bitLength, fitsBits, integer } from '../engine/meter.ts';
import type { Native, Natives } from '../engine/native.ts';
import { integerIn } from '../engine/numbers.ts';

function shift(value: bigint, count: bigint): bigint {
  if (count < 0n) return -count > 10_000_000n ? (value < 0n ? -1n : 0n) : value >> -count;
  if (value === 0n) return 0n;
  fitsBits(bitLength(value) + Number(count));
  return integer(value << count);
}

const bitwise =
  (combine: (a: bigint, b: bigint) => bigint, start: bigint): Native =>
  (values) =>
    values.reduce<bigint>((made, each) => integer(combine(made, integerIn(each))), start);

interface Bytes {
  readonly size: bigint;
  readonly at: bigint;
}

function bytesOf(spec: Value): Bytes {
  const { car, cdr } = spec as { car?: Value; cdr?: Value };
  const [size, at] = [integerIn(car ?? NIL), integerIn(cdr ?? NIL)];
  fitsBits(Number(size));
  return { size, at };
}

function loadByte(spec: Value, value: Value): bigint {
  const { size, at } = bytesOf(spec);
  return shift(integerIn(value), -at) & ((1n << size) - 1n);
}

function putByte(value: Value, spec: Value, byte: Value): bigint {
  const { size, at } = bytesOf(spec);
  const mask = (1n << size) - 1n;
  return (integerIn(value) & ~shift(mask, at)) | shift(integerIn(byte) & mask, at);
}

export const BITS: Natives = {
  'ash integer count': ([value, count]) => shift(integerIn(value), integerIn(count)),
  'logand &rest integers': bitwise((a, b) => a & b, -1n),
  'logior &rest integers': bitwise((a, b) => a | b, 0n),
  'logxor &rest integers': bitwise((a, b) => a ^ b, 0n),
  'logeqv &rest integers': bitwise((a, b) => ~(a ^ b), -1n),
  'logandc1 a b': ([a, b]) => ~integerIn(a) & integerIn(b),
  'logandc2 a b': ([a, b]) => integerIn(a) & ~integerIn(b),
  'lognot integer': ([value]) => ~integerIn(value),
  'logtest a b': ([a, b]) => bool((integerIn(a) & integerIn(b)) !== 0n),
  'logbitp index integer': ([at, value]) => bool((shift(integerIn(value), -integerIn(at)) & 1n) === 1n),
  'logcount integer': ([value]) => {
    const bits = integerIn(value) < 0n ? ~integerIn(value) : integerIn(value);
    return BigInt([...bits.toString(2)].filter((bit) => bit === '1').length);
  },
  'integer-length integer': ([value]) =>
    BigInt(bitLength(integerIn(value) < 0n ? ~integerIn(value) : integerIn(value))),
  'ldb byte integer': ([spec, value]) => loadByte(spec, value),
  'dpb byte bytespec integer': ([byte, spec, value]) => putByte(value, spec, byte),
  '%put-byte integer bytespec byte': ([value, spec, byte]) => putByte(value, spec, byte),
  'byte size position': ([size, at]) => new Cons(integerIn(size), integerIn(at)),
  'byte-size bytespec': ([spec]) => bytesOf(spec).size,
  'byte-position bytespec': ([spec]) => bytesOf(spec).at,
};
