// Known by this mark and not by a variable of a file: a module may have got the package from another copy.
const MARK = Symbol.for('parley-mcp.isolated');

/** Says that this process runs isolated items. */
export function markIsolated(): void {
  Object.defineProperty(globalThis, MARK, { value: true });
}

/** Whether this process runs isolated items, and so must not start others for them. */
export function isIsolated(): boolean {
  return MARK in globalThis;
}
