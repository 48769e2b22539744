import { isIP } from 'node:net';
import type { Subnet } from '../../config/index.js';
import { AllowedSubnets, isPublicAddress } from './addresses.js';
import { bareHost, isOwnNetworkName } from './destination.js';
import type { HostAddress, HostLookup, LookupAnswer, LookupFailure } from './host-lookup.js';

const CONFIGURATION_LOOKUP_MS = 2_000;
const NOT_PUBLIC = 'URL must lead to a public address';

export type Vetting =
  | { readonly kind: 'vetted'; readonly addresses: readonly HostAddress[] }
  | { readonly kind: 'unsafe' }
  | { readonly kind: 'not_found'; readonly reason: LookupFailure };

/**
 * Decides to which addresses a user-given URL may connect: to public addresses and to OUTBOUND_ALLOWED_SUBNETS. Every
 * address of a name must be allowed. A name of the local network (`localhost`, `*.internal`, a single label) is
 * refused, unless all of its addresses are in the allowed subnets, in which case the operator has explicitly allowed
 * this network.
 */
export class DestinationSafety {
  private readonly allowed: AllowedSubnets;

  constructor(
    allowedSubnets: readonly Subnet[],
    private readonly lookup: HostLookup,
  ) {
    this.allowed = new AllowedSubnets(allowedSubnets);
  }

  /**
   * Returns the message that refuses a destination when it is configured, or null. A public name without DNS records is
   * accepted, because records may be added later and each request checks its addresses again. Takes at most 2 seconds.
   */
  async checkAtConfiguration(url: URL, share = ''): Promise<string | null> {
    const vetting = await this.vet(url, AbortSignal.timeout(CONFIGURATION_LOOKUP_MS), share);
    if (vetting.kind === 'not_found') return isOwnNetworkName(bareHost(url)) ? NOT_PUBLIC : null;
    return vetting.kind === 'unsafe' ? NOT_PUBLIC : null;
  }

  /**
   * Returns the addresses to which a connection is allowed. Connect to these addresses and do not resolve the name
   * again, because another lookup may return other addresses.
   */
  async vet(url: URL, signal: AbortSignal, share: string): Promise<Vetting> {
    const host = bareHost(url);
    const family = isIP(host);
    if (family === 4 || family === 6)
      return this.isAllowed(host) ? { kind: 'vetted', addresses: [{ address: host, family }] } : { kind: 'unsafe' };
    const isOwn = isOwnNetworkName(host);
    if (isOwn && this.allowed.isEmpty) return { kind: 'unsafe' };
    const answer = await this.find(host, signal, share || domainOf(host));
    if (!answer.ok) return { kind: 'not_found', reason: answer.reason };
    const { addresses } = answer;
    if (addresses.length === 0) return { kind: 'not_found', reason: 'unknown_host' };
    const isSafe = addresses.every(({ address }) => (isOwn ? this.allowed.has(address) : this.isAllowed(address)));
    return isSafe ? { kind: 'vetted', addresses } : { kind: 'unsafe' };
  }

  private isAllowed(address: string): boolean {
    return isPublicAddress(address) || this.allowed.has(address);
  }

  /** Looks up the host. Ends at the latest when the signal aborts. */
  private find(host: string, signal: AbortSignal, share: string): Promise<LookupAnswer> {
    return new Promise((resolve) => {
      const late = () => resolve({ ok: false, reason: 'timeout' });
      if (signal.aborted) return late();
      signal.addEventListener('abort', late, { once: true });
      void this.lookup
        .addressesOf(host, signal, share)
        .catch((): LookupAnswer => ({ ok: false, reason: 'dns_temporary' }))
        .then((answer) => {
          signal.removeEventListener('abort', late);
          resolve(answer);
        });
    });
  }
}

/**
 * Returns the last two labels of a host name. It is the share of lookups that have no other share, because hosts below
 * it usually have the same name servers.
 */
function domainOf(host: string): string {
  return host.split('.').slice(-2).join('.');
}
