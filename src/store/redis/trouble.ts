import { StoreError } from '../store.ts';

// Refusals of a server that is not, or not now, the one to ask: another connection may lead to the right one.
const MOVED = new Set(['READONLY', 'MASTERDOWN', 'CLUSTERDOWN', 'MOVED', 'ASK', 'LOADING', 'NOAUTH', 'UNBLOCKED']);
const REPLY = /^([A-Z]+[A-Z0-9]*)(?: |$)/;

const isReply = (error: unknown): boolean =>
  error instanceof Error && ['SimpleError', 'BlobError', 'ErrorReply'].includes(error.constructor.name);

/** The word a reply of refusal begins with, or what else went wrong; nothing that may name a user or a password. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === 'string') return code;
  if (isReply(error)) return REPLY.exec(error.message)?.[1] ?? 'ERR';
  if (error.cause instanceof Error) return codeOf(error.cause);
  return error.message.length <= 80 ? error.message : error.constructor.name;
}

/** What a failure means to who uses the store, and whether the connection it came from is of any more use. */
export function troubleOf(error: unknown): { readonly error: StoreError; readonly redial: boolean } {
  if (error instanceof StoreError) return { error, redial: false };
  if (!isReply(error))
    return {
      error: new StoreError('away', 'Cannot use store: Redis cannot be reached', { cause: error, unsure: true }),
      redial: true,
    };
  const code = codeOf(error);
  if (code === 'OOM')
    return {
      error: new StoreError('full', 'Cannot keep more: Redis holds its limit', { cause: error }),
      redial: false,
    };
  const message = `Cannot use store: Redis refused a command (${code})`;
  return { error: new StoreError('away', message, { cause: error }), redial: MOVED.has(code) };
}

/** Whether Redis does not know a script yet, so that nothing of it was run. */
export const isUnknownScript = (error: unknown): boolean => isReply(error) && codeOf(error) === 'NOSCRIPT';
