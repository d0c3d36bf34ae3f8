import { type Expression, OPERATORS, type Piece, type Variable } from './template-parse.ts';

/** Text that stands in every URI of the template. */
export interface Literal {
  readonly kind: 'literal';
  readonly text: string;
}
/** One variable that must be there, with the characters it may not hold. */
export interface Take {
  readonly kind: 'take';
  readonly variable: Variable;
  readonly stops: string;
}
/** Variables that may be absent as a whole: the lead character says whether they are there. */
export interface Group {
  readonly kind: 'group';
  readonly leads: string;
  readonly stops: string;
  readonly variables: readonly Variable[];
}
export type Part = Literal | Take | Group;

/** The pieces of a template as a matcher walks them. */
export function partsOf(pieces: readonly Piece[]): Part[] {
  const parts: Part[] = [];
  let inQuery = false;
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      inQuery ||= piece.includes('?');
      parts.push({ kind: 'literal', text: piece });
    } else if (piece.operator === '#' || OPERATORS[piece.operator].named) {
      addGroup(parts, piece);
    } else {
      addTakes(parts, piece, inQuery ? '&' : '');
    }
  }
  return parts;
}

function addTakes(parts: Part[], { operator, variables }: Expression, alsoStops: string): void {
  const { lead, separator } = OPERATORS[operator];
  variables.forEach((variable, index) => {
    const before = index === 0 ? lead : separator;
    if (before !== '') parts.push({ kind: 'literal', text: before });
    parts.push({ kind: 'take', variable, stops: stopsOf(operator, variable, variables.length > 1) + alsoStops });
  });
}

function stopsOf(operator: string, { explode }: Variable, several: boolean): string {
  if (operator === '+') return '';
  if (operator === '/' && explode) return '?#';
  return operator === '' && several && !explode ? '/?#,' : '/?#';
}

function addGroup(parts: Part[], { operator, variables }: Expression): void {
  const before = parts.at(-1);
  if (before?.kind === 'group' && continues(before, operator)) {
    const leads = before.leads.includes(operator) ? before.leads : before.leads + operator;
    parts[parts.length - 1] = { ...before, leads, variables: [...before.variables, ...variables] };
    return;
  }
  if (before?.kind === 'take') parts[parts.length - 1] = { ...before, stops: before.stops + operator };
  parts.push({ kind: 'group', leads: operator, stops: { '#': '', ';': '/?#' }[operator as string] ?? '#', variables });
}

function continues(group: Group, operator: string): boolean {
  return operator === ';' ? group.leads === ';' : operator === '&' && /^[?&]/.test(group.leads);
}
