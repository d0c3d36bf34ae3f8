import type { Variable } from './template-parse.ts';
import type { Group, Part } from './template-parts.ts';

interface Sighting {
  readonly value: string;
  readonly prefix: number | undefined;
}
/** What each variable was seen to be. */
export type Found = Map<string, Sighting>;

/** Notes the values in the text a part was matched with; false when there is no such value. */
export function readPart(part: Part, span: string, found: Found): boolean {
  if (part.kind === 'literal') return true;
  if (part.kind === 'take') return note(found, part.variable, decode(span));
  if (span === '') return true;
  return part.leads === '#' ? readFragment(part, span.slice(1), found) : readPairs(part, span.slice(1), found);
}

/** All but the last variable take what stands before a comma. */
function readFragment({ variables }: Group, span: string, found: Found): boolean {
  let rest: string | undefined = span;
  for (const [index, variable] of variables.entries()) {
    if (rest === undefined) return true;
    const comma: number = index < variables.length - 1 ? rest.indexOf(',') : -1;
    if (!note(found, variable, decode(comma < 0 ? rest : rest.slice(0, comma)))) return false;
    rest = comma < 0 ? undefined : rest.slice(comma + 1);
  }
  return true;
}

/** Pairs may come in any order; one that belongs to no variable, or comes twice without `*`, is no match. */
function readPairs({ leads, variables }: Group, span: string, found: Found): boolean {
  const lists = new Map<Variable, string[]>();
  for (const pair of span.split(leads === ';' ? ';' : '&')) {
    const read = readPair(variables, pair);
    if (read === undefined) return false;
    const list = lists.get(read.variable);
    if (list === undefined) lists.set(read.variable, [read.value]);
    else if (read.variable.explode) list.push(read.value);
    else return false;
  }
  return [...lists].every(([variable, list]) => note(found, variable, list.join(',')));
}

/** The variable a pair belongs to; one with a foreign name belongs to the exploded variable, name and all. */
function readPair(variables: readonly Variable[], pair: string): { variable: Variable; value: string } | undefined {
  const [name = ''] = pair.split('=', 1);
  const value = decode(pair.slice(name.length + 1));
  const own = variables.find((variable) => variable.name === name);
  if (value === undefined) return undefined;
  if (own !== undefined) return { variable: own, value };
  const open = variables.find((variable) => variable.explode);
  const key = decode(name);
  return open === undefined || key === undefined ? undefined : { variable: open, value: `${key}=${value}` };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Keeps a value; false when it contradicts what the same variable was elsewhere in the URI. */
function note(found: Found, { name, prefix }: Variable, value: string | undefined): boolean {
  if (value === undefined || (prefix !== undefined && [...value].length > prefix)) return false;
  const known = found.get(name);
  if (known === undefined || known.prefix !== undefined) found.set(name, { value, prefix });
  return known === undefined || agrees(known, { value, prefix }) || agrees({ value, prefix }, known);
}

/** Whether two sightings can be the same value, the first being a prefix at most as long as its modifier says. */
function agrees(cut: Sighting, whole: Sighting): boolean {
  if (cut.prefix === undefined) return cut.value === whole.value;
  return [...whole.value].slice(0, cut.prefix).join('') === cut.value;
}
