import { createPack, type Server } from '../../../catalog/server.ts';
import { Fault, ToolError } from '../../../model/fault.ts';
import { PathError } from '../../../sandbox/path-trouble.ts';
import { createRoot } from '../../../sandbox/roots.ts';
import { type ListingLimits, listDirectory } from './list-directory.ts';
import { readPage } from './read-page.ts';

export interface FilesOptions {
  /** The one directory files are read from. */
  readonly root: string;
  /** Most bytes one call reads. */
  readonly pageBytes?: number;
  readonly listing?: Partial<ListingLimits>;
}

export const FILES_PAGE_BYTES = 1024 * 1024;
export const FILES_LISTING: ListingLimits = { pageEntries: 1000, mostEntries: 100_000 };

const LONGEST_PATH = 4096;
const annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

/** Tools that read files and directories below one root, and nothing else. Throws `TypeError` when there is no such root. */
export async function createFiles({
  root: path,
  pageBytes = FILES_PAGE_BYTES,
  listing,
}: FilesOptions): Promise<Server> {
  const root = await createRoot(path);
  const server = createPack({ name: 'files', version: '1.0.0' });
  const place = { type: 'string', maxLength: LONGEST_PATH } as const;
  const count = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
  server.tool(
    'read_file',
    {
      title: 'Read a file',
      description: `Reads a file below the file root: text as text, anything else as base64. One call gives at most ${pageBytes} bytes; go on with "offset".`,
      input: {
        type: 'object',
        properties: {
          path: { ...place, minLength: 1, description: 'Path of the file, relative to the file root' },
          offset: { ...count, description: 'Byte to start at (default: 0)' },
          length: { type: 'integer', minimum: 1, maximum: pageBytes, description: 'Most bytes to read' },
        },
        required: ['path'],
        additionalProperties: false,
      },
      annotations,
    },
    ({ path: asked, offset = 0, length = pageBytes }) =>
      tolerant(asked, () => readPage(root, asked, { offset, length })),
  );
  const limits = { ...FILES_LISTING, ...listing };
  server.tool(
    'list_directory',
    {
      title: 'List a directory',
      description: `Lists a directory below the file root, sorted by name. One call gives at most ${limits.pageEntries} entries; go on with "offset".`,
      input: {
        type: 'object',
        properties: {
          path: { ...place, default: '.', description: 'Path of the directory, relative to the file root' },
          offset: { ...count, description: 'Entry to start at (default: 0)' },
        },
        additionalProperties: false,
      },
      annotations,
    },
    ({ path: asked = '.', offset = 0 }) => tolerant(asked, () => listDirectory(root, asked, { ...limits, offset })),
  );
  return server;
}

/** Says in words of ours what is wrong with a path; what the machine says stays in the log. */
async function tolerant<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PathError) throw new ToolError(`${error.message}: "${path}"`, { cause: error });
    if (error instanceof Fault) throw error;
    throw new ToolError(`Cannot read "${path}"`, { cause: error });
  }
}
