/** One variable of an expression, with its modifier. */
export interface Variable {
  readonly name: string;
  readonly explode: boolean;
  /** At most this many characters of the value are used. */
  readonly prefix?: number;
}

/** What stands between braces: `''` is the operator of a plain `{name}`. */
export interface Expression {
  readonly operator: Operator;
  readonly variables: readonly Variable[];
}

/** A literal, already percent-encoded, or an expression. */
export type Piece = string | Expression;

/** How an operator writes its variables, RFC 6570 appendix A. */
export interface OperatorRule {
  readonly lead: string;
  readonly separator: string;
  readonly named: boolean;
  /** What stands after the name of an empty value. */
  readonly ifEmpty: string;
  /** Reserved characters and existing escapes pass unchanged. */
  readonly reserved: boolean;
}

export type Operator = '' | '+' | '#' | '.' | '/' | ';' | '?' | '&';

export const OPERATORS: Readonly<Record<Operator, OperatorRule>> = {
  '': { lead: '', separator: ',', named: false, ifEmpty: '', reserved: false },
  '+': { lead: '', separator: ',', named: false, ifEmpty: '', reserved: true },
  '#': { lead: '#', separator: ',', named: false, ifEmpty: '', reserved: true },
  '.': { lead: '.', separator: '.', named: false, ifEmpty: '', reserved: false },
  '/': { lead: '/', separator: '/', named: false, ifEmpty: '', reserved: false },
  ';': { lead: ';', separator: ';', named: true, ifEmpty: '', reserved: false },
  '?': { lead: '?', separator: '&', named: true, ifEmpty: '=', reserved: false },
  '&': { lead: '&', separator: '&', named: true, ifEmpty: '=', reserved: false },
};

// These expressions hold no nested quantifier over the same characters, so each runs in linear time.
const NAME = /^(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*$/;
const BAD_LITERAL = /[\p{Cc}\s"<>\\^`|}]/u;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const NOT_IN_URI = /[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+/gu;

/** Whether a text holds a `%` that begins no escape. */
export function hasBadEscape(text: string): boolean {
  return BAD_ESCAPE.test(text);
}

/** Percent-encodes what no URI may hold and leaves the rest alone; `undefined` when it holds half a character. */
export function encodeForeign(text: string): string | undefined {
  try {
    return text.replace(NOT_IN_URI, encodeURIComponent);
  } catch {
    return undefined;
  }
}

/** The pieces of a template. Throws `TypeError` when it is not one. */
export function parseTemplate(text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('{', at);
    const end = open < 0 ? text.length : open;
    if (end > at) pieces.push(parseLiteral(text.slice(at, end), text));
    if (open < 0) break;
    const close = text.indexOf('}', open);
    if (close < 0) throw bad(text, 'a brace is not closed');
    pieces.push(parseExpression(text.slice(open + 1, close), text));
    at = close + 1;
  }
  return pieces;
}

function parseLiteral(literal: string, template: string): string {
  const wrong = BAD_LITERAL.exec(literal);
  if (wrong !== null) throw bad(template, `${JSON.stringify(wrong[0])} may not stand outside braces`);
  if (hasBadEscape(literal)) throw bad(template, '"%" must begin an escape such as "%20"');
  const encoded = encodeForeign(literal);
  if (encoded === undefined) throw bad(template, 'it holds half a character');
  return encoded;
}

function parseExpression(body: string, template: string): Expression {
  const first = body.charAt(0);
  if ('=,!@|'.includes(first) && first !== '') throw bad(template, `operator "${first}" is reserved`);
  const operator = isOperator(first) ? first : '';
  const list = body.slice(operator.length);
  if (list === '') throw bad(template, 'an expression names no variable');
  return { operator, variables: list.split(',').map((variable) => parseVariable(variable, template)) };
}

function parseVariable(text: string, template: string): Variable {
  const explode = text.endsWith('*');
  const [name = '', prefix, ...rest] = (explode ? text.slice(0, -1) : text).split(':');
  if (!NAME.test(name)) {
    throw bad(template, `"${name}" is not a variable name: use letters, digits, "_" and "." between them`);
  }
  if (prefix === undefined) return { name, explode };
  if (explode || rest.length > 0 || !/^[1-9][0-9]{0,3}$/.test(prefix)) {
    throw bad(template, `"${text}" has a bad modifier: use "*" or ":" with a length from 1 to 9999`);
  }
  return { name, explode, prefix: Number(prefix) };
}

function isOperator(text: string): text is Operator {
  return text !== '' && Object.hasOwn(OPERATORS, text);
}

function bad(template: string, why: string): TypeError {
  return new TypeError(`Bad URI template "${template}": ${why}`);
}
