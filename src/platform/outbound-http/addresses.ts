import { BlockList, isIP } from 'node:net';
import type { Subnet } from '../../config/index.js';

// Uses Node's BlockList and the ranges below instead of ipaddr.js. Version 2.5 of ipaddr.js reads 010.1.2.3 as octal,
// and treats unassigned IPv6 space, which is seven eighths of all addresses, as public.

/** IANA's special-purpose IPv4 ranges, multicast and the reserved rest. None of them contains a public address. */
const SPECIAL_IPV4 = blockList('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]);
/**
 * Global unicast addresses. Addresses that embed an IPv4 address (mapped, translated, NAT64) are not in this range,
 * whichever address they embed.
 */
const GLOBAL_IPV6 = blockList('ipv6', [['2000::', 3]]);
/**
 * Special ranges inside global unicast: protocol assignments (including Teredo and ORCHID), documentation, and 6to4.
 */
const SPECIAL_IPV6 = blockList('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]);

/**
 * Whether the address is on the public internet. False for text that is not an address and for addresses with a zone.
 */
export function isPublicAddress(address: string): boolean {
  switch (familyOf(address)) {
    case 4:
      return !SPECIAL_IPV4.check(address, 'ipv4');
    case 6:
      return GLOBAL_IPV6.check(address, 'ipv6') && !SPECIAL_IPV6.check(address, 'ipv6');
    default:
      return false;
  }
}

/**
 * The ranges of OUTBOUND_ALLOWED_SUBNETS. IPv6 addresses are matched only with IPv6 ranges. Node's BlockList would also
 * match the IPv4-mapped address `::ffff:127.0.0.1` with 127.0.0.0/8, although this form was not allowed.
 */
export class AllowedSubnets {
  readonly isEmpty: boolean;
  private readonly ipv4: BlockList;
  private readonly ipv6: BlockList;

  constructor(subnets: readonly Subnet[]) {
    this.isEmpty = subnets.length === 0;
    const of = (family: Subnet['family']) =>
      blockList(
        family,
        subnets.filter((subnet) => subnet.family === family).map(({ address, prefix }) => [address, prefix]),
      );
    this.ipv4 = of('ipv4');
    this.ipv6 = of('ipv6');
  }

  has(address: string): boolean {
    const family = familyOf(address);
    return (family === 4 && this.ipv4.check(address, 'ipv4')) || (family === 6 && this.ipv6.check(address, 'ipv6'));
  }
}

/** Returns the canonical spelling of an address, or null for text that is not an address. */
export function canonicalAddress(address: string): string | null {
  const family = familyOf(address);
  if (family === 4) return address;
  return family === 6 ? (URL.parse(`http://[${address}]`)?.hostname.slice(1, -1) ?? null) : null;
}

// BlockList would ignore the zone of `fe80::1%eth0`. An address with a zone is never public, because it belongs to a
// link of this host.
function familyOf(address: string): number {
  return address.includes('%') ? 0 : isIP(address);
}

function blockList(family: Subnet['family'], ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of ranges) list.addSubnet(address, prefix, family);
  return list;
}
