import { BlockList, isIP } from 'node:net';

/** Whether an address is that of a proxy whose word about its clients is taken. */
export type Trust = (address: string) => boolean;

/** The headers by which proxies tell what they hid. */
export const FORWARDING: ReadonlySet<string> = new Set([
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
]);

const MAPPED = '::ffff:';
/** Proxies a request can have come through; what is said about more is not looked at. */
const MOST_HOPS = 32;
const MOST_REMEMBERED = 1000;

/** Reads a list of addresses and networks such as `10.0.0.0/8`. Throws `TypeError` for anything else. */
export function trustOf(list: readonly string[]): Trust {
  const trusted = new BlockList();
  for (const item of list) addTo(trusted, item.trim());
  const known = new Map<string, boolean>();
  return (address) => {
    const found = known.get(address);
    if (found !== undefined) return found;
    const plain = plainAddress(address);
    const holds = plain !== undefined && trusted.check(plain, familyOf(plain));
    if (known.size >= MOST_REMEMBERED) known.clear();
    known.set(address, holds);
    return holds;
  };
}

function addTo(trusted: BlockList, item: string): void {
  const [network = '', bits, ...rest] = item.split('/');
  const version = isIP(network);
  const most = version === 4 ? 32 : 128;
  const odd = bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > most);
  if (version === 0 || odd || rest.length > 0) {
    throw new TypeError(`Cannot trust the proxy "${item}": give an address, or a network such as "10.0.0.0/8"`);
  }
  if (bits === undefined) trusted.addAddress(network, familyOf(network));
  else trusted.addSubnet(network, Number(bits), familyOf(network));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

export interface Forwarded {
  /** The peer of the connection. */
  readonly peer: string;
  readonly header: (name: string) => string | undefined;
  readonly trust: Trust;
}

/**
 * Whose request it is: the last address that no trusted proxy has. What stands before it anybody may have written.
 * Where the two headers proxies use do not agree, one of them came from the client, and neither is taken.
 */
export function clientAddress({ peer, header, trust }: Forwarded): string {
  if (!trust(peer)) return peer;
  const list = header('x-forwarded-for');
  const forwarded = header('forwarded');
  const first = list === undefined ? undefined : walk(list, { peer, trust, read: (hop) => hop });
  const second = forwarded === undefined ? undefined : walk(forwarded, { peer, trust, read: forOf });
  if (first !== undefined && second !== undefined && first !== second) return peer;
  return first ?? second ?? peer;
}

interface Walk {
  readonly peer: string;
  readonly trust: Trust;
  read(hop: string): string | undefined;
}

function walk(list: string, { peer, trust, read }: Walk): string {
  let client = peer;
  let end = list.length;
  for (let hops = 0; hops < MOST_HOPS && end > 0; hops += 1) {
    const comma = list.lastIndexOf(',', end - 1);
    const address = plainAddress(read(list.slice(comma + 1, end)) ?? '');
    if (address === undefined) return client;
    client = address;
    if (!trust(address)) return client;
    end = comma;
  }
  return client;
}

// spec RFC 7239 section 4
function forOf(hop: string): string | undefined {
  const part = hop.split(';').find((pair) => /^\s*for=/i.test(pair));
  return part?.slice(part.indexOf('=') + 1);
}

/** The value of a parameter in the last hop of a Forwarded header. */
export function lastForwarded(header: string | undefined, name: 'host' | 'proto'): string | undefined {
  const part = header
    ?.slice(header.lastIndexOf(',') + 1)
    .split(';')
    .find((pair) => pair.trimStart().toLowerCase().startsWith(`${name}=`));
  return part === undefined ? undefined : unquoted(part.slice(part.indexOf('=') + 1).trim());
}

function unquoted(text: string): string {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

/** An address without quotes, brackets, port and the IPv4 prefix; `undefined` when it is none. */
function plainAddress(text: string): string | undefined {
  let address = unquoted(text.trim());
  if (address.startsWith('[')) address = address.slice(1, Math.max(1, address.indexOf(']')));
  else if (address.includes('.') && address.indexOf(':') === address.lastIndexOf(':'))
    address = address.split(':')[0] ?? '';
  if (address.toLowerCase().startsWith(MAPPED) && address.includes('.')) address = address.slice(MAPPED.length);
  return isIP(address) === 0 ? undefined : address;
}
