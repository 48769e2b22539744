import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isIP } from 'node:net';
import { AllowedSubnets, canonicalAddress, isPublicAddress } from './addresses.js';
import { bareHost, parseDestination } from './destination.js';

/** The first and last address of each range. The addresses next to a range are tested if they are public. */
const IPV4_RANGES: readonly (readonly [string, string])[] = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '255.255.255.255'],
];
const BOUNDS = IPV4_RANGES.map(([first, last]) => [numberOf(first), numberOf(last)] as const);
const isSpecial = (n: number): boolean => BOUNDS.some(([first, last]) => n >= first && n <= last);

describe('a public address', () => {
  it.each(IPV4_RANGES)('is not at either end of %s to %s, and may be right outside of it', (first, last) => {
    expect([first, last].map(isPublicAddress)).toEqual([false, false]);
    for (const beside of [numberOf(first) - 1, numberOf(last) + 1]) {
      if (beside < 0 || beside > 0xffff_ffff) continue;
      expect([dotted(beside), isPublicAddress(dotted(beside))]).toEqual([dotted(beside), !isSpecial(beside)]);
    }
  });

  it.each([
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::127.0.0.1', 'IPv4-compatible'],
    ['::5efe:7f00:1', 'ISATAP'],
    ['::ffff:8.8.8.8', 'IPv4-mapped, though public'],
    ['::ffff:0:10.0.0.1', 'IPv4-translated'],
    ['64:ff9b::808:808', 'NAT64, though public'],
    ['64:ff9b:1::a00:1', 'local NAT64'],
    ['100::1', 'discard'],
    ['1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'just below global unicast'],
    ['2001::1', 'Teredo'],
    ['2001:10::1', 'ORCHID'],
    ['2001:20::1', 'ORCHIDv2'],
    ['2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', 'the last of the protocol assignments'],
    ['2001:db8::', 'documentation'],
    ['2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', 'the last of documentation'],
    ['2002:7f00:1::', '6to4 of loopback'],
    ['2002:808:808::1', '6to4, though public'],
    ['3fff::1', 'the newer documentation'],
    ['3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', 'the last of it'],
    ['4000::', 'just above global unicast'],
    ['5f00::1', 'segment routing'],
    ['fc00::1', 'unique local'],
    ['fd00:ec2::254', 'a metadata service'],
    ['fe80::1', 'link local'],
    ['fe80::1%eth0', 'link local with its zone'],
    ['2001:4860::1%eth0', 'a zone on a public address'],
    ['fec0::1', 'site local'],
    ['ff02::1', 'multicast'],
    ['', 'nothing'],
    ['example.com', 'a name'],
    ['127.1', 'an address nobody canonicalized'],
  ])('is not %s (%s)', (address) => expect(isPublicAddress(address)).toBe(false));

  it.each(['2000::1', '2001:200::1', '2001:db7:ffff::1', '2001:db9::', '2003::1', '2606:2800:220:1::1', '3fff:1000::'])(
    'may be %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it('is recognized in every spelling of IPv4 that a URL takes', () => {
    fc.assert(
      fc.property(
        anyIpv4(),
        fc.infiniteStream(fc.nat(2)),
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        (n, bases, parts, wide) => {
          const spelled = spell(n, parts, bases);
          const text = wide ? fullWidth(spelled) : spelled;
          const parsed = parseDestination(`http://${text}/`, { refuseCredentialQuery: false });
          expect(parsed).toMatchObject({ ok: true, url: { hostname: dotted(n) } });
          expect(isPublicAddress(dotted(n))).toBe(!isSpecial(n));
        },
      ),
    );
  });

  it('is no IPv6 spelling of any IPv4 address', () => {
    const embeddings = ['::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::', 'fe80::5efe:'];
    fc.assert(
      fc.property(anyIpv4(), fc.constantFrom(...embeddings), (n, prefix) => {
        expect(isPublicAddress(`${prefix}${dotted(n)}`)).toBe(false);
        expect(isPublicAddress(bareHost(new URL(`http://[${prefix}${dotted(n)}]`)))).toBe(false);
        expect(isPublicAddress(`2002:${hex(n >>> 16)}:${hex(n & 0xffff)}::1`)).toBe(false);
      }),
    );
  });

  it('is recognized in IPv6 as by plain arithmetic', () => {
    const groups = fc.tuple(
      fc.oneof(fc.constantFrom(0x2001, 0x2002, 0x3fff, 0x1fff, 0x2000, 0x4000, 0), fc.nat(0xffff)),
      fc.oneof(fc.constantFrom(0xdb8, 0x1ff, 0x200, 0xfff, 0x1000), fc.nat(0xffff)),
      ...Array.from({ length: 6 }, () => fc.nat(0xffff)),
    );
    fc.assert(
      fc.property(groups, ([a, b, ...rest]) => {
        const isGlobal = a >= 0x2000 && a <= 0x3fff;
        const isRefused = (a === 0x2001 && (b < 0x200 || b === 0xdb8)) || a === 0x2002 || (a === 0x3fff && b < 0x1000);
        const text = [a, b, ...rest].map(hex).join(':');
        expect(isPublicAddress(text)).toBe(isGlobal && !isRefused);
        expect(isPublicAddress(canonicalAddress(text) ?? '')).toBe(isGlobal && !isRefused);
      }),
    );
  });
});

describe('a list of allowed subnets', () => {
  const allowed = new AllowedSubnets([
    { family: 'ipv4', address: '10.1.2.3', prefix: 16 },
    { family: 'ipv4', address: '127.0.0.1', prefix: 32 },
    { family: 'ipv6', address: 'fd00::', prefix: 8 },
  ]);

  it.each(['10.1.0.0', '10.1.255.255', '127.0.0.1', 'fd12::1'])('contains the address %s', (address) =>
    expect(allowed.has(address)).toBe(true),
  );

  it.each([
    '10.0.255.255',
    '10.2.0.0',
    '127.0.0.2',
    '::ffff:127.0.0.1',
    '::ffff:a01:1',
    'fc00::1',
    'fd12::1%eth0',
    'x',
  ])('does not contain %s', (address) => expect(allowed.has(address)).toBe(false));

  it('may contain nothing, or everything', () => {
    expect(new AllowedSubnets([]).isEmpty).toBe(true);
    expect(new AllowedSubnets([]).has('127.0.0.1')).toBe(false);
    expect(new AllowedSubnets([{ family: 'ipv4', address: '0.0.0.0', prefix: 0 }]).has('192.168.0.1')).toBe(true);
  });
});

describe('the canonical spelling', () => {
  it('is one for all spellings of an IPv6 address', () => {
    expect(canonicalAddress('2001:0DB8:0:0:0:0:0:1')).toBe(canonicalAddress('2001:db8::1'));
    expect(canonicalAddress('::ffff:127.0.0.1')).toBe('::ffff:7f00:1');
    expect(canonicalAddress('127.0.0.1')).toBe('127.0.0.1');
    expect(canonicalAddress('fe80::1%eth0')).toBeNull();
    expect(canonicalAddress('')).toBeNull();
    expect(isIP(canonicalAddress('2606:2800:220:1:248:1893:25c8:1946') ?? '')).toBe(6);
  });
});

/** Generates any address. Half of the addresses are in or next to a special range. */
function anyIpv4(): fc.Arbitrary<number> {
  const inRange = fc.constantFrom(...BOUNDS).chain(([min, max]) => fc.integer({ min, max }));
  const atEdge = fc.constantFrom(...BOUNDS.flatMap(([first, last]) => [Math.max(first - 1, 0), first, last]));
  return fc.oneof(fc.integer({ min: 0, max: 0xffff_ffff }), inRange, atEdge);
}

/** Writes the number in 1 to 4 parts, each decimal, hexadecimal or octal. The last part holds the remaining bytes. */
function spell(n: number, parts: number, bases: Iterator<number>): string {
  const bytes = [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255];
  const rest = bytes.slice(parts - 1).reduce((sum, byte) => sum * 256 + byte, 0);
  return [...bytes.slice(0, parts - 1), rest].map((part) => inBase(part, bases.next().value as number)).join('.');
}

function inBase(part: number, base: number): string {
  return base === 0 ? String(part) : base === 1 ? `0x${part.toString(16)}` : `0${part.toString(8)}`;
}

function fullWidth(text: string): string {
  return text.replace(/[0-9]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)).replaceAll('.', '。');
}

function numberOf(address: string): number {
  return address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
}

function dotted(n: number): string {
  return [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255].join('.');
}

function hex(n: number): string {
  return n.toString(16);
}
