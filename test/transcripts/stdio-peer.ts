import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Peer, PeerOptions } from './peer.ts';
import { bodyOf, dueIn, type Turn } from './transcript.ts';

/** A server on a pipe. */
export function openStdio({ command, env }: PeerOptions): Peer {
  const [program = '', ...args] = command('stdio');
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let noise = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    noise += text;
  });
  return {
    async take(turn: Turn) {
      child.stdin.write(`${bodyOf(turn.says.join('\n'))}\n`);
      const said: string[] = [];
      for (const due = dueIn(turn); said.length < due; ) {
        const { value, done } = await lines.next();
        if (done === true) throw new Error(`The server ended: ${noise}`);
        said.push(String(value));
      }
      return said;
    },
    async close() {
      const ended = once(child, 'close');
      child.stdin.end();
      const rest = [];
      for (let next = await lines.next(); next.done !== true; next = await lines.next()) rest.push(next.value);
      await ended;
      if (rest.length > 0) throw new Error(`The server said more than was expected: ${rest.join('\n')}`);
      if (child.exitCode !== 0) throw new Error(`The server ended with code ${child.exitCode}: ${noise}`);
    },
  };
}
