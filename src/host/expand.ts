import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Json } from '../model/json.ts';

export interface ExpandOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths start from. */
  readonly folder: string;
}

const REFERENCE = /\$\{(file:[^}]+|[A-Za-z_]\w*(?::-[^}]*)?)\}/g;

/**
 * Puts in what strings refer to: `${NAME}`, `${NAME:-otherwise}` and `${file:path}`, the text of a file without the line
 * break at its end. Throws an error that names the place of a reference that leads nowhere.
 */
export function expand(value: Json, options: ExpandOptions, at = ''): Json {
  if (typeof value === 'string')
    return value.replace(REFERENCE, (_, reference: string) => lookUp(reference, options, at));
  if (Array.isArray(value)) return value.map((item, index) => expand(item, options, `${at}[${index}]`));
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).map(([key, member]) => [
    key,
    member === undefined ? undefined : expand(member, options, at === '' ? key : `${at}.${key}`),
  ]);
  return Object.fromEntries(members);
}

function lookUp(reference: string, { env, folder }: ExpandOptions, at: string): string {
  if (reference.startsWith('file:')) return readText(resolve(folder, reference.slice('file:'.length)), at);
  const [name = '', ...rest] = reference.split(':-');
  const value = env[name];
  if (value !== undefined && value !== '') return value;
  if (rest.length > 0) return rest.join(':-');
  throw new Error(`Cannot read "${at}": the environment has no ${name}`);
}

function readText(path: string, at: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch {
    throw new Error(`Cannot read "${at}": there is no readable file "${path}"`);
  }
}
