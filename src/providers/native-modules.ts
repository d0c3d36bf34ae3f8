import fs from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Said before any of a file's own code has run. */
const UNLINKED = new Set([
  'ERR_MODULE_NOT_FOUND',
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_UNSUPPORTED_DIR_IMPORT',
  'ERR_IMPORT_ASSERTION_TYPE_MISSING',
  'ERR_IMPORT_ATTRIBUTE_MISSING',
]);

/**
 * Imports a JavaScript module the way Node does, many times faster than a loader that translates.
 * `undefined` where Node cannot: TypeScript, CommonJS, and imports or words that only a loader understands.
 */
export async function importNatively(file: string): Promise<Record<string, unknown> | undefined> {
  if (!isModule(file)) return undefined;
  try {
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch (error) {
    if (isForeign(error)) return undefined;
    throw error;
  }
}

function isModule(file: string): boolean {
  const extension = extname(file);
  return extension === '.mjs' || (extension === '.js' && packageTypeOf(file) === 'module');
}

/** What the nearest manifest says its `.js` files are. */
function packageTypeOf(path: string): unknown {
  const folder = dirname(path);
  if (folder === path) return undefined;
  let text: string;
  try {
    text = fs.readFileSync(join(folder, 'package.json'), 'utf8');
  } catch {
    return packageTypeOf(folder);
  }
  try {
    return (JSON.parse(text) as { type?: unknown } | null)?.type;
  } catch {
    return undefined;
  }
}

/** Whether Node and not the file is at its wits' end: with syntax, with an import, with `require` in a module. */
function isForeign(error: unknown): boolean {
  if (error instanceof SyntaxError || error instanceof ReferenceError) return true;
  return error instanceof Error && 'code' in error && UNLINKED.has(String(error.code));
}
