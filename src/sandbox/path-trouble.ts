/** Why a path below a root was not opened. */
export type PathTrouble = 'outside' | 'missing' | 'notFile' | 'notDirectory' | 'malformed' | 'denied' | 'changed';

const SAYS: Readonly<Record<PathTrouble, string>> = {
  outside: 'The path leads outside the file root',
  missing: 'There is no such file or directory',
  notFile: 'It is not a regular file',
  notDirectory: 'It is not a directory',
  malformed: 'The path is malformed or too long',
  denied: 'The server may not read it',
  changed: 'It was changed while it was being read',
};

/** A path that was not opened. Its message names nothing of the machine, so it may be shown to anybody. */
export class PathError extends Error {
  override readonly name = 'PathError';
  readonly trouble: PathTrouble;

  constructor(trouble: PathTrouble, cause?: unknown) {
    super(SAYS[trouble], cause === undefined ? undefined : { cause });
    this.trouble = trouble;
  }

  /** What an error of the file system means here. */
  static from(error: unknown): Error {
    if (error instanceof PathError || !(error instanceof Error)) return error as Error;
    const trouble = BY_CODE.get((error as NodeJS.ErrnoException).code ?? '');
    return trouble === undefined ? error : new PathError(trouble, error);
  }
}

const BY_CODE: ReadonlyMap<string, PathTrouble> = new Map<string, PathTrouble>([
  ['ENOENT', 'missing'],
  ['ENOTDIR', 'notDirectory'],
  ['EISDIR', 'notFile'],
  ['ENXIO', 'notFile'],
  ['ENODEV', 'notFile'],
  ['ELOOP', 'outside'],
  ['ENAMETOOLONG', 'malformed'],
  ['EINVAL', 'malformed'],
  ['EACCES', 'denied'],
  ['EPERM', 'denied'],
]);
