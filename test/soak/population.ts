import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HTTP_KINDS, httpTalker, PIPE_KINDS, pipeTalker } from '../chaos/load/crowd.ts';
import type { ServerOptions } from '../chaos/load/server-process.ts';
import type { StdioTalker } from '../chaos/load/stdio-talker.ts';
import type { Talker } from '../chaos/load/talker.ts';

/** Tokens for principals, in a file a server can be started with. */
export interface Tokens {
  readonly args: readonly string[];
  readonly tokens: readonly string[];
  remove(): void;
}

/** Makes up principals and their tokens. */
export function makeTokens(count: number): Tokens {
  const folder = mkdtempSync(join(tmpdir(), 'parley-tokens-'));
  const tokens = Array.from({ length: count }, (_, at) => `token-of-principal-${at}-0123456789abcdef`);
  const file = join(folder, 'tokens.json');
  const entries = tokens.map((token, at) => ({
    id: `principal-${at}`,
    sha256: createHash('sha256').update(token).digest('hex'),
  }));
  writeFileSync(file, JSON.stringify({ tokens: entries }));
  return { args: ['--auth-tokens', file], tokens, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export interface Places {
  /** A server everybody may use. */
  readonly open: string;
  /** A server that wants tokens, and the tokens. */
  readonly guarded?: { readonly url: string; readonly tokens: readonly string[] };
}

/** Clients of every revision over HTTP: about half of them with a token, where there are some. */
export function httpClients(count: number, { open, guarded }: Places): Talker[] {
  return Array.from({ length: count }, (_, at) => {
    const kind = HTTP_KINDS[at % HTTP_KINDS.length] as string;
    if (guarded === undefined || at % 2 === 0) return httpTalker(kind, open);
    return httpTalker(kind, guarded.url, { token: guarded.tokens[at % guarded.tokens.length] });
  });
}

/** Clients on pipes, each with a server of its own. */
export function pipeClients(count: number, server: ServerOptions): StdioTalker[] {
  return Array.from({ length: count }, (_, at) => pipeTalker(PIPE_KINDS[at % PIPE_KINDS.length] as string, { server }));
}
