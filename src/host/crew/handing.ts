import type { Worker } from 'node:cluster';

interface Closable {
  close(): void;
}

/**
 * Closes what a worker was handed and had not taken when it ended, so that its client learns of it. Node hands each
 * server's next connection over when the last is taken, and holds on for ever to one that never is.
 */
export function closeUntaken(worker: Worker): void {
  const handed = new Map<unknown, Closable>();
  const { process: child } = worker;
  const send = child.send.bind(child) as (...args: unknown[]) => boolean;
  child.send = (message: unknown, handle?: unknown, ...rest: unknown[]) => {
    // Closing what was taken and closed already does nothing.
    if (isClosable(handle)) handed.set(serverOf(message), handle);
    return send(message, handle, ...rest);
  };
  worker.once('exit', () => {
    for (const handle of handed.values()) handle.close();
  });
}

function isClosable(handle: unknown): handle is Closable {
  return typeof handle === 'object' && handle !== null && 'close' in handle && typeof handle.close === 'function';
}

function serverOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'key' in message ? message.key : undefined;
}
