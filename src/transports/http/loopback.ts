const NAMES = new Set(['localhost', '::1', '[::1]', '0:0:0:0:0:0:0:1']);
const IPV4 = /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/;

/** Whether an address to listen on can be reached from this machine alone. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return NAMES.has(name) || IPV4.test(name);
}
