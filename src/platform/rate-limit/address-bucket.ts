import { isIPv6 } from 'node:net';

/**
 * Returns the bucket in which a client address is counted. An IPv4 address is its own bucket. IPv6 addresses share the
 * bucket of their /64 network, because one subscriber has all of its addresses.
 * @param ip in the form of `request.ip`, which has one spelling for each address
 */
export function addressBucket(ip: string | undefined): string {
  if (ip === undefined) return 'unknown';
  if (!isIPv6(ip)) return ip;
  const [head = '', tail] = ip.split('::', 2);
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeroes = tail === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length);
  const all = [...groups, ...Array<string>(zeroes).fill('0'), ...rest];
  return `${all.slice(0, 4).join(':')}::/64`;
}
