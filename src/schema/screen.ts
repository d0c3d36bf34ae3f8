import type { Json } from '../model/json.ts';
import { pointer } from './issue.ts';

/** Thrown for a schema that cannot be compiled; says why and where. */
export class SchemaError extends TypeError {
  override readonly name = 'SchemaError';

  constructor(problem: string, steps: readonly (string | number)[]) {
    super(`Cannot compile schema: ${problem}${steps.length === 0 ? '' : ` at ${pointer(steps)}`}`);
  }
}

/** How large a schema may be. */
export const SCHEMA_LIMITS = {
  /** Deepest nesting of objects and arrays. */
  depth: 200,
  /** Most values of any kind, which is more than the most schemas. */
  values: 100_000,
  /** Most characters in keys and strings. */
  characters: 1_000_000,
  /** Most states in the automata of all patterns. */
  patternStates: 50_000,
} as const;

type Steps = (string | number)[];

/** Refuses what is not JSON, and what is too deep or too large to compile. */
export function screen(schema: unknown): asserts schema is Json {
  const left = { values: SCHEMA_LIMITS.values as number, characters: SCHEMA_LIMITS.characters as number };
  const steps: Steps = [];

  function visit(value: unknown): void {
    left.values -= 1;
    if (left.values < 0) throw new SchemaError(`has more than ${SCHEMA_LIMITS.values} values`, []);
    if (typeof value === 'string') spend(value);
    else if (typeof value === 'object' && value !== null) descend(value);
    else if (!isPlain(value)) throw new SchemaError(`a ${typeof value} is not JSON`, steps);
  }

  function spend(text: string): void {
    left.characters -= text.length;
    if (left.characters < 0) throw new SchemaError(`is longer than ${SCHEMA_LIMITS.characters} characters`, []);
  }

  function descend(value: object): void {
    if (steps.length >= SCHEMA_LIMITS.depth) {
      throw new SchemaError(`is nested deeper than ${SCHEMA_LIMITS.depth} levels`, steps.slice(0, 8));
    }
    const list = Array.isArray(value);
    for (const key of Object.keys(value)) {
      const member = (value as Record<string, unknown>)[key];
      if (member === undefined && !list) continue;
      spend(key);
      steps.push(key);
      visit(member);
      steps.pop();
    }
  }

  visit(schema);
}

function isPlain(value: unknown): boolean {
  return value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
}
