import { REVISIONS } from '../dialects/mcp/revisions.ts';
import { Fault } from '../model/fault.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Answerers } from '../providers/upstream/answering.ts';
import { openChild } from '../providers/upstream/child.ts';
import { type Client, connect } from '../providers/upstream/client.ts';
import { PeerError } from '../providers/upstream/peer-error.ts';
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

/** Which server a command was pointed at, and how to speak with it. */
export interface Target {
  readonly command: readonly string[];
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

/** Starts the server a target names and greets it. */
export function openClient({ command, revision, timeoutMs }: Target, front: Front): Promise<Client> {
  const start = () =>
    openChild({
      command,
      onStderr: (text) => front.onStderr(text),
      onNoise: () => front.onRemark('The server printed a line to stdout that is no message'),
    });
  return connect(start(), {
    client: { name: 'parley', title: 'Parley', version: VERSION },
    revision,
    timeoutMs,
    onQuestion: front.onQuestion,
    onNotice(notice) {
      if (notice.kind === 'log') front.onRemark(`[${notice.level}] ${said(notice.data)}`);
    },
    reopen: start,
  });
}

/** How an error concerns the caller: the server refused, or it could not be reached, or neither. */
export function blame(error: unknown): 'refused' | 'unreachable' | undefined {
  if (error instanceof PeerError) return 'refused';
  return error instanceof Fault ? 'unreachable' : undefined;
}

function said(data: Json): string {
  return typeof data === 'string' ? data : JSON.stringify(data);
}
