import type { Server } from '../catalog/server.ts';
import type { AuditOptions } from '../core/policies/audit.ts';
import type { Limits } from '../model/limits.ts';
import type { Log } from '../model/log.ts';
import { createHost } from './host.ts';
import { launch } from './launch.ts';
import { createLog } from './log.ts';
import { redactFor } from './log-keeping.ts';
import { servePipe } from './pipe.ts';

export interface ServeStdioOptions {
  readonly limits?: Partial<Limits>;
  readonly log?: Log;
  /** Told who asked for what and what became of it. */
  readonly audit?: Pick<AuditOptions, 'sink' | 'arguments'>;
  /** Secrets that seal request state, newest first; without one, what was sealed ends with the process. */
  readonly secrets?: readonly string[];
  /** Recognise the newline-delimited action protocol; on unless said otherwise. */
  readonly actions?: boolean;
  /** Serve JSON-RPC without a handshake, in the bare shape. */
  readonly bare?: boolean;
  /**
   * How far stdout is guarded. `process` (the default) keeps everything this process writes off the protocol. `full`
   * puts the protocol on a descriptor of its own, so that not even a child that inherits stdout can reach it. Where a
   * process cannot do that itself the program is started again: what stands before the call then runs twice.
   */
  readonly guard?: 'process' | 'full';
}

/** Serves one client on this process's stdin and stdout; resolves when the client is gone. */
export async function serveStdio(server: Server, options: ServeStdioOptions = {}): Promise<void> {
  const { guard = 'process', ...rest } = options;
  if (guard === 'full') {
    const code = await launch();
    if (code !== undefined) process.exit(code);
  }
  const log: Log = options.log ?? ownLog(options);
  const { info, instructions, cache } = server;
  await servePipe({
    open: () =>
      createHost({ ...rest, trusting: true, log, server: info, instructions, cache, mounts: [{ provider: server }] }),
  });
}

function ownLog({ secrets }: ServeStdioOptions): Log {
  return createLog({ level: 'info', redact: redactFor(secrets), write: (line) => process.stderr.write(line) });
}
