import { Console } from 'node:console';
import { Writable } from 'node:stream';
import type { Log, Severity } from '../model/log.ts';

/** Sends everything printed with `console` to a log until the returned function is called. */
export function interceptConsole(log: Log): () => void {
  const ours = new Console({ stdout: sink(log, 'info'), stderr: sink(log, 'warn'), colorMode: false });
  const target = globalThis.console as unknown as Record<string, unknown>;
  const source = ours as unknown as Record<string, unknown>;
  const before = new Map<string, unknown>();
  for (const [name, method] of Object.entries(source)) {
    if (typeof method !== 'function' || typeof target[name] !== 'function') continue;
    before.set(name, target[name]);
    target[name] = method;
  }
  return () => {
    for (const [name, method] of before) if (target[name] === source[name]) target[name] = method;
  };
}

/** One entry for each thing printed, however many lines it has. */
function sink(log: Log, severity: Severity): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _, done) {
      log(severity, String(chunk).replace(/\n$/, ''), { source: 'console' });
      done();
    },
  });
}
