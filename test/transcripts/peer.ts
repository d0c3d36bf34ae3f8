import type { Turn } from './transcript.ts';

/** A server being talked to. */
export interface Peer {
  /** Says what the client says and resolves to what the server says, line by line. */
  take(turn: Turn): Promise<string[]>;
  close(): Promise<void>;
}

export interface PeerOptions {
  /** The command line that serves this way. */
  command(way: 'stdio' | 'serve'): string[];
  /** Keep to one session, where the way has them. */
  readonly session?: boolean;
  readonly env: NodeJS.ProcessEnv;
}
