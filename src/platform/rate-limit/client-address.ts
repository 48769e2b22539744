import { isIPv6 } from 'node:net';

/**
 * The bucket of a client address: IPv4 as it is, IPv6 by its /64, since one subscriber has that many addresses.
 * @param ip as Express tells it under the configured trust in proxies
 */
export function addressBucket(ip: string | undefined): string {
  if (ip === undefined) return 'unknown';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped !== undefined) return mapped;
  const plain = ip.split('%', 1)[0] ?? '';
  if (!isIPv6(plain)) return ip;
  const [head = '', tail] = plain.toLowerCase().split('::', 2);
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeroes = tail === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length);
  const all = [...groups, ...Array<string>(zeroes).fill('0'), ...rest];
  return `${all.slice(0, 4).map(withoutZeroes).join(':')}::/64`;
}

function withoutZeroes(group: string): string {
  return group.replace(/^0+(?=.)/, '');
}
