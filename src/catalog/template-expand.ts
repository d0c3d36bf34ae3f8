import {
  type Expression,
  encodeForeign,
  OPERATORS,
  type OperatorRule,
  type Piece,
  type Variable,
} from './template-parse.ts';

/** What a variable may stand for: a text, a list, or names with values. */
export type TemplateValue = string | readonly string[] | Readonly<Record<string, string>>;
export type TemplateValues = Readonly<Record<string, TemplateValue | undefined>>;

/** Writes the URI a template makes of these values; a variable without a value leaves no trace. */
export function expandPieces(pieces: readonly Piece[], values: TemplateValues): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : expandExpression(piece, values))).join('');
}

function expandExpression({ operator, variables }: Expression, values: TemplateValues): string {
  const rule = OPERATORS[operator];
  const written: string[] = [];
  for (const variable of variables) {
    const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined;
    if (value !== undefined) written.push(...expandValue(variable, value, rule));
  }
  return written.length === 0 ? '' : rule.lead + written.join(rule.separator);
}

function expandValue(variable: Variable, value: TemplateValue, rule: OperatorRule): string[] {
  if (typeof value === 'string') {
    const cut = variable.prefix === undefined ? value : [...value].slice(0, variable.prefix).join('');
    return [named(variable.name, encode(cut, rule), rule)];
  }
  if (isList(value)) {
    const parts = value.map((part) => encode(part, rule));
    if (variable.explode) return parts.map((part) => named(variable.name, part, rule));
    return parts.length === 0 ? [] : [named(variable.name, parts.join(','), rule)];
  }
  const pairs = Object.entries(value).map(([key, part]) => [encode(key, rule), encode(part, rule)] as const);
  if (variable.explode) return pairs.map(([key, part]) => (rule.named ? named(key, part, rule) : `${key}=${part}`));
  return pairs.length === 0 ? [] : [named(variable.name, pairs.flat().join(','), rule)];
}

function isList(value: TemplateValue): value is readonly string[] {
  return Array.isArray(value);
}

function named(name: string, text: string, rule: OperatorRule): string {
  if (!rule.named) return text;
  return text === '' ? name + rule.ifEmpty : `${name}=${text}`;
}

function encode(text: string, rule: OperatorRule): string {
  if (!rule.reserved) return encodeURIComponent(text).replace(/[!'()*]/g, escapeByte);
  const encoded = encodeForeign(text.replace(/%(?![0-9A-Fa-f]{2})/g, '%25'));
  if (encoded === undefined) throw new URIError('Cannot expand: a value holds half a character');
  return encoded;
}

function escapeByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
