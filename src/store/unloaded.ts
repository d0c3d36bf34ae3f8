/** Says what to do about an engine's package that cannot be imported. */
export function unloaded(name: string, cause: unknown): TypeError {
  const absent = (cause as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
  const wrong = absent ? 'is not installed' : 'cannot be loaded here; install it anew on this machine';
  return new TypeError(`Cannot open store: its package "${name}" ${wrong}: run "npm install ${name}"`, { cause });
}
