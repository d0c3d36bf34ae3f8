import { lookup } from 'node:dns/promises';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Allowed, isPublic } from './addresses.ts';
import { EgressError, hostOf, portOf, shown } from './egress-rules.ts';

/** Finds the addresses of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Asks the system's resolver. */
export const resolveName: Resolve = async (host) => {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

export interface Dialling {
  readonly allowed: Allowed;
  readonly resolve: Resolve;
}

/** A way to the one place that was checked. */
export interface Dialled {
  /** Opens the connection; called once. */
  connection(): Socket;
}

/**
 * Finds where a URL leads and checks it. The connection goes to the very addresses that were checked: a name is asked
 * for once, so an answer that changes later changes nothing.
 */
export async function dial(url: URL, { allowed, resolve }: Dialling, signal: AbortSignal): Promise<Dialled> {
  const host = hostOf(url);
  const addresses = isIP(host) === 0 ? await ask(host, resolve, signal) : [host];
  const free = (address: string) => allowed.address(address) || (isIP(address) !== 0 && allowed.host(host));
  const closed = addresses.filter((address) => !isPublic(address) && !free(address));
  if (closed.length > 0) {
    throw new EgressError(`Cannot request "${shown(host)}": it leads to an address that is not on the public internet`);
  }
  return { connection: () => openTo(url, addresses) };
}

async function ask(host: string, resolve: Resolve, signal: AbortSignal): Promise<readonly string[]> {
  signal.throwIfAborted();
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    const found = await Promise.race([resolve(host), aborted]);
    if (found.length > 0) return found;
  } catch (error) {
    signal.throwIfAborted();
    throw new EgressError(`Cannot find the host "${shown(host)}"`, { cause: error });
  } finally {
    signal.removeEventListener('abort', stop);
  }
  throw new EgressError(`Cannot find the host "${shown(host)}"`);
}

function openTo(url: URL, addresses: readonly string[]): Socket {
  const host = hostOf(url);
  const target = { host, port: portOf(url), lookup: answering(addresses) };
  const socket =
    url.protocol === 'https:'
      ? connectTls({ ...target, ALPNProtocols: ['http/1.1'], ...(isIP(host) === 0 ? { servername: host } : {}) })
      : connect(target);
  // Runs before anything is written: the last look is at the address that was really connected to.
  socket.once('connect', () => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || !addresses.some((address) => sameAddress(address, remoteAddress))) {
      socket.destroy(new EgressError(`Cannot request "${shown(host)}": the connection went elsewhere`));
    }
  });
  return socket;
}

function answering(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { all }, answer) => {
    const [first] = found;
    if (all === true || first === undefined) answer(null, found);
    else answer(null, first.address, first.family);
  };
}

function sameAddress(one: string, other: string): boolean {
  return canonical(one) === canonical(other);
}

function canonical(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(plain) === 6 ? new URL(`http://[${plain.replace(/%.*$/, '')}]/`).hostname : plain;
}
