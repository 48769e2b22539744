import { BlockList, isIP } from 'node:net';

/** A set of networks, such as `10.0.0.0/8` and `fd00::/8`. Bits after the prefix are ignored. */
export class Networks {
  private readonly members = new BlockList();

  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = '', prefix = ''] = network.split('/');
      this.members.addSubnet(address, Number(prefix), isIP(address) === 6 ? 'ipv6' : 'ipv4');
    }
  }

  /** Returns whether an address lies in one of the networks, or null when the text is not an address. */
  has(address: string): boolean | null {
    const family = isIP(address);
    // An address with a zone is meaningful on one machine only.
    if (family === 0 || address.includes('%')) return null;
    return this.members.check(address, family === 6 ? 'ipv6' : 'ipv4');
  }
}

export function isNetwork(text: string): boolean {
  const parts = /^([0-9a-fA-F.:]+)\/(\d{1,3})$/.exec(text);
  const family = isIP(parts?.[1] ?? '');
  return family !== 0 && Number(parts?.[2]) <= (family === 6 ? 128 : 32);
}
