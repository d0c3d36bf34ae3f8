import { BlockList, isIP } from 'node:net';

/** Networks that are not the public internet: this host, private, link-local, shared, benchmarks, documents, multicast. */
const CLOSED_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // A public address that clouds answer on from inside the machine.
  '168.63.129.16/32',
];
/** All of IPv6 that is given out to the public; mapped, translated, local and multicast addresses are outside of it. */
const OPEN_V6 = '2000::/3';
/** Inside of it, but protocol assignments with Teredo, documents, and 6to4, which holds an IPv4 address. */
const CLOSED_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const closed = networks([...CLOSED_V4, ...CLOSED_V6]);
const open = networks([OPEN_V6]);

/** Whether an address, in the one spelling the system uses, is one on the public internet. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !closed.check(address, 'ipv4');
  return isIP(address) === 6 && !address.includes('%') && open.check(address, 'ipv6') && !closed.check(address, 'ipv6');
}

/** What may be reached although it is not public: addresses and networks, and names wherever they lead. */
export interface Allowed {
  address(address: string): boolean;
  host(host: string): boolean;
}

/** Reads a list such as `10.0.0.0/8`, `::1`, `intranet.example`. Throws `TypeError` at what is none of these. */
export function readAllowed(entries: readonly string[]): Allowed {
  const ranges = entries.filter((entry) => isIP(entry.split('/')[0] ?? '') !== 0);
  const names = new Set(entries.filter((entry) => !ranges.includes(entry)).map(hostName));
  const whole = ranges.map((entry) => (entry.includes('/') ? entry : `${entry}/${isIP(entry) === 4 ? 32 : 128}`));
  // Apart, since a list of both would also take an IPv4 address that hides in an IPv6 one.
  const v4 = networks(whole.filter((range) => !range.includes(':')));
  const v6 = networks(whole.filter((range) => range.includes(':')));
  return {
    address: (address) =>
      isIP(address) === 4 ? v4.check(address, 'ipv4') : isIP(address) === 6 && v6.check(address, 'ipv6'),
    host: (host) => names.has(host.toLowerCase().replace(/\.$/, '')),
  };
}

function hostName(entry: string): string {
  if (/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i.test(entry) && !/^[\d.]+$/.test(entry)) return entry.toLowerCase();
  throw new TypeError(`Cannot allow "${entry}": give an address, a network such as "10.0.0.0/8", or a host name`);
}

function networks(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits = ''] = range.split('/');
    const most = isIP(network) === 4 ? 32 : 128;
    if (!/^\d{1,3}$/.test(bits) || Number(bits) > most) {
      throw new TypeError(`Cannot allow "${range}": after the slash stands a number from 0 to ${most}`);
    }
    list.addSubnet(network, Number(bits), most === 32 ? 'ipv4' : 'ipv6');
  }
  return list;
}
