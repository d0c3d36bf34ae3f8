import { REVISIONS } from '../dialects/mcp/revisions.ts';
import { Fault } from '../model/fault.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Log } from '../model/log.ts';
import type { Answerers } from '../providers/upstream/answering.ts';
import { openChild } from '../providers/upstream/child.ts';
import { type Client, type ClientOptions, connect } from '../providers/upstream/client.ts';
import { openHttp } from '../providers/upstream/http-link.ts';
import { openLegacySse } from '../providers/upstream/legacy-sse-link.ts';
import type { Link } from '../providers/upstream/link.ts';
import { PeerError } from '../providers/upstream/peer-error.ts';
import { HttpFault } from '../providers/upstream/verdict.ts';
import { VERSION } from './version.ts';

export type OpenClient = Client;
export type Questioned = Answerers;
export type Value = Json;
export type Values = JsonObject;
export type ListedTool = Awaited<ReturnType<Client['listTools']>>[number];
export type CallResult = Awaited<ReturnType<Client['call']>>;
export type ReadResult = Awaited<ReturnType<Client['read']>>;
export type PromptResult = Awaited<ReturnType<Client['prompt']>>;
export type ContentBlock = CallResult['content'][number];
export type Contents = ReadResult['contents'][number];

/** The protocol revisions a client may be told to speak, newest first. */
export const SPOKEN: readonly string[] = REVISIONS.map(({ id }) => id);

/** A server to start, or one that runs somewhere. */
export type Place =
  | { readonly command: readonly string[] }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** Which server a command was pointed at, and how to speak with it. */
export interface Target {
  readonly place: Place;
  readonly revision?: string | undefined;
  readonly timeoutMs?: number | undefined;
}

/** What the person or program in front of a client hears and is asked. */
export interface Front {
  readonly onQuestion: Answerers;
  /** What the server writes to stderr. */
  onStderr(text: string): void;
  /** What the server says that is neither an answer nor a question, in a line. */
  onRemark(text: string): void;
}

/** Starts the server a target names, or reaches out to it, and greets it. */
export function openClient({ place, revision, timeoutMs }: Target, front: Front): Promise<Client> {
  const { link, ...again } = 'url' in place ? overHttp(place, front) : overPipe(place.command, front);
  return connect(link, {
    client: { name: 'parley', title: 'Parley', version: VERSION },
    revision,
    timeoutMs,
    onQuestion: front.onQuestion,
    onNotice(notice) {
      if (notice.kind === 'log') front.onRemark(`[${notice.level}] ${said(notice.data)}`);
    },
    log: remarks(front),
    ...again,
  });
}

/** How an error concerns the caller: the server refused or wants credentials, it could not be reached, or neither. */
export function blame(error: unknown): 'refused' | 'forbidden' | 'unreachable' | undefined {
  if (error instanceof PeerError) return 'refused';
  if (error instanceof HttpFault && error.verdict === 'forbidden') return 'forbidden';
  return error instanceof Fault ? 'unreachable' : undefined;
}

type Ways = Pick<ClientOptions, 'reopen' | 'older'> & { readonly link: Link };

function overPipe(command: readonly string[], front: Front): Ways {
  const start = (): Link =>
    openChild({
      command,
      onStderr: (text) => front.onStderr(text),
      onNoise: () => front.onRemark('The server printed a line to stdout that is no message'),
    });
  return { link: start(), reopen: start };
}

function overHttp({ url, headers }: Extract<Place, { url: string }>, front: Front): Ways {
  const target = { url, headers, log: remarks(front) };
  return { link: openHttp(target), older: () => openLegacySse(target) };
}

function remarks(front: Front): Log {
  return (severity, message) => {
    if (severity === 'warn' || severity === 'error') front.onRemark(message);
  };
}

function said(data: Json): string {
  return typeof data === 'string' ? data : JSON.stringify(data);
}
