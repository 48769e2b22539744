import { isIP, SocketAddress } from 'node:net';

/**
 * Returns whether a proxy is trusted, by its address and its distance from this process. Express compiles this function
 * from TRUST_PROXY.
 */
export type ProxyTrust = (address: string, hops: number) => boolean;

/**
 * Returns the address of the client: the nearest address that is not a trusted proxy. A client can write the start of
 * `X-Forwarded-For`, because proxies only append to it, so entries beyond this address are ignored. When the entry for
 * the client is not an address, the peer address is returned instead.
 * @param peer the address of the other end of the connection
 * @param forwarded the header `X-Forwarded-For`, whose last entry is the nearest address
 */
export function clientAddress(
  peer: string | undefined,
  forwarded: string | undefined,
  trusts: ProxyTrust,
): string | undefined {
  const nearest = peer === undefined ? undefined : addressIn(peer);
  if (nearest === undefined || forwarded === undefined) return nearest;
  let client: string | undefined = nearest;
  let hops = 0;
  for (let end = forwarded.length; end > 0 && trusts(client ?? '', hops);) {
    const comma = forwarded.lastIndexOf(',', end - 1);
    const entry = forwarded.slice(comma + 1, end).trim();
    end = comma;
    if (entry === '') continue;
    client = addressIn(entry);
    hops += 1;
  }
  return client ?? nearest;
}

/**
 * Returns an address in one canonical spelling: without port, brackets and zone, and with IPv4-mapped IPv6 as IPv4.
 * Rate limits and devices compare addresses as text.
 */
function addressIn(text: string): string | undefined {
  const bare = /^\[([^\]]*)\](?::\d{0,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{0,5}$/.exec(text)?.[1] ?? text;
  const family = isIP(bare);
  if (family === 4) return bare;
  if (family === 0) return undefined;
  const { address } = new SocketAddress({ family: 'ipv6', address: bare.split('%', 1)[0] ?? bare });
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}
