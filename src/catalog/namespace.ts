import { type Log, silent } from '../model/log.ts';
import { fingerprint } from './fingerprint.ts';

/** Stands between a namespace and a name. */
export const SEPARATOR = '__';
/** The longest name of a tool or prompt that clients are shown. */
export const LONGEST_NAME = 64;

/** Stands before a namespaced name in the long form, so no namespace may be called so. */
const RESERVED = 'mcp';
const LONG_FORM = `${RESERVED}${SEPARATOR}`;
const CHARACTERS = /^[A-Za-z0-9_.-]+$/;
const KEPT = LONGEST_NAME - 9;

/** Throws `TypeError` when nothing can be mounted under this namespace. */
export function checkNamespace(namespace: string): void {
  const refuse = (why: string) => new TypeError(`Cannot mount "${namespace}": ${why}`);
  if (namespace.includes(SEPARATOR)) throw refuse(`a namespace may not hold "${SEPARATOR}"`);
  if (namespace === RESERVED) throw refuse(`the namespace "${RESERVED}" is reserved`);
  if (!CHARACTERS.test(namespace)) throw refuse('a namespace is one or more of A-Z a-z 0-9 "_" "." "-"');
}

/** Throws `TypeError` when a tool cannot have this name. */
export function checkToolName(name: string): void {
  if (CHARACTERS.test(name) && name.length <= LONGEST_NAME) return;
  throw new TypeError(`Bad tool name "${name}": a name is 1 to ${LONGEST_NAME} of A-Z a-z 0-9 "_" "." "-"`);
}

/** The name clients see for an item mounted under these namespaces, outermost first; a long one is shortened. */
export function nameIn(namespaces: readonly string[], name: string, log: Log = silent): string {
  for (const namespace of namespaces) checkNamespace(namespace);
  if (namespaces.length > 0 && name.includes(SEPARATOR)) {
    throw new TypeError(
      `Cannot mount "${namespaces.join(SEPARATOR)}": the name "${name}" may not hold "${SEPARATOR}" under a namespace`,
    );
  }
  const full = labelIn(namespaces, name);
  const short = shorten(full);
  if (short !== full) log('warn', `Shortened a name over ${LONGEST_NAME} characters`, { name: full, shown: short });
  return short;
}

/** The name shown for something that is never looked up by it: namespaced, but neither checked nor shortened. */
export function labelIn(namespaces: readonly string[], name: string): string {
  return [...namespaces, name].join(SEPARATOR);
}

/** The long form of a namespaced name where it is not too long: `ns__name` becomes `mcp__ns__name`. */
export function longForm(name: string): string {
  const [long = name] = aliasesOf(name);
  return long.length > LONGEST_NAME ? name : long;
}

/** The other names a listed name answers to: a namespaced one also has its long form `mcp__ns__name`. */
export function aliasesOf(name: string): readonly string[] {
  return name.includes(SEPARATOR) ? [LONG_FORM + name] : [];
}

/** The listed name behind a name a client used: the long form `mcp__ns__name` means `ns__name`. */
export function resolveName(name: string): string {
  if (!name.startsWith(LONG_FORM)) return name;
  const rest = name.slice(LONG_FORM.length);
  return rest.includes(SEPARATOR) ? rest : name;
}

function shorten(name: string): string {
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, KEPT)}_${fingerprint(name)}`;
}
