/** Something that cannot be calculated, in words for whoever asked. */
export class ArithmeticTrouble extends Error {
  override readonly name = 'ArithmeticTrouble';
}

/** The number itself, if it is one a calculation may end with; minus zero is zero. */
export function inRange(value: number): number {
  if (Number.isNaN(value)) throw new ArithmeticTrouble('The result is not a number');
  if (!Number.isFinite(value)) throw new ArithmeticTrouble('The result is out of range: it is too large');
  return value === 0 ? 0 : value;
}
