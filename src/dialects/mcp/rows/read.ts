import { echoed, excerpt } from '../../../model/excerpt.ts';
import { Fault } from '../../../model/fault.ts';
import { isObject, type Json, type JsonObject } from '../../../model/json.ts';

// Readers for members of a wire object. Each says what is wrong in words a client's author can act on.

export function wrong(member: string, need: string): Fault {
  return new Fault('E_BAD_PARAMS', `Invalid params: "${excerpt(member)}" must be ${need}`, {
    data: { member: echoed(member) },
  });
}

export function readText(wire: JsonObject, member: string): string {
  const value = wire[member];
  if (typeof value !== 'string') throw wrong(member, 'a string');
  return value;
}

export function readObject(wire: JsonObject, member: string): JsonObject {
  const value = wire[member];
  if (!isObject(value)) throw wrong(member, 'an object');
  return value;
}

export function readArray(wire: JsonObject, member: string): Json[] {
  const value = wire[member];
  if (!Array.isArray(value)) throw wrong(member, 'an array');
  return value;
}

export function readObjects(wire: JsonObject, member: string): JsonObject[] {
  const values = readArray(wire, member);
  if (!values.every(isObject)) throw wrong(member, 'an array of objects');
  return values;
}

export function readStrings(wire: JsonObject, member: string): Record<string, string> {
  const value = wire[member];
  if (value === undefined) return {};
  if (!isObject(value) || !Object.values(value).every((item) => typeof item === 'string')) {
    throw wrong(member, 'an object of strings');
  }
  return value as Record<string, string>;
}

/** The optional string member, as an object to spread. */
export function maybeText<K extends string>(wire: JsonObject, member: K): { [P in K]?: string } {
  const value = wire[member];
  if (value === undefined) return {};
  if (typeof value !== 'string') throw wrong(member, 'a string');
  return { [member]: value } as { [P in K]?: string };
}

/** The optional object member, as an object to spread. */
export function maybeObject<K extends string>(wire: JsonObject, member: K): { [P in K]?: JsonObject } {
  const value = wire[member];
  if (value === undefined) return {};
  if (!isObject(value)) throw wrong(member, 'an object');
  return { [member]: value } as { [P in K]?: JsonObject };
}

/** The named members that are present, in the order they are named. */
export function pick<T extends object>(source: T, members: readonly string[]): JsonObject {
  const picked: JsonObject = {};
  for (const member of members) {
    const value = (source as JsonObject)[member];
    if (value !== undefined && Object.hasOwn(source, member)) picked[member] = value;
  }
  return picked;
}
