import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { FairSemaphore } from '../concurrency/index.js';
import { type HostAddress, HostLookup, type LookupAnswer } from './host-lookup.js';
import { errorCode } from '../errors/index.js';

const LOOKUPS_AT_ONCE = 200;
const LOOKUPS_OF_A_SHARE = 20;
const TRY_MS = 1_000;
const TRIES = 4;
/**
 * How long the addresses of one family wait for the lookup of the other family. Some name servers never answer for
 * IPv6.
 */
const OTHER_FAMILY_MS = 300;
const HOSTS_FILE_LIFE_MS = 5_000;
/** Error codes for a name or record that does not exist. */
const NO_SUCH_NAME = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

export interface DnsLookupOptions {
  /** The `address:port` of name servers to use instead of the system's. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
  readonly atOnce?: number;
  readonly ofAShare?: number;
}

interface FamilyAnswer {
  readonly addresses: readonly HostAddress[];
  readonly code: string;
}

/**
 * Looks up names in the hosts file, then in DNS with c-ares. `dns.lookup` is not used, because it calls getaddrinfo in
 * libuv's thread pool, which runs two such calls at a time and cannot cancel them. Two names with an unavailable name
 * server would therefore block all lookups. The lookups of this class use no thread and can be cancelled. Each lookup
 * has its own resolver, so that cancelling ends only this lookup, changes of resolv.conf are seen, and nothing is
 * cached. Search domains and other sources of nsswitch.conf are not supported.
 */
export class DnsLookup extends HostLookup {
  private readonly slots: FairSemaphore;
  private hosts: { readonly readAt: number; readonly addresses: Promise<Map<string, HostAddress[]>> } | null = null;

  constructor(private readonly options: DnsLookupOptions = {}) {
    super();
    this.slots = new FairSemaphore({
      parallel: options.atOnce ?? LOOKUPS_AT_ONCE,
      maxPerKey: options.ofAShare ?? LOOKUPS_OF_A_SHARE,
      // The queue needs no limit, because callers already wait in limited queues of their own and have a deadline.
      maxQueued: Infinity,
    });
  }

  override async addressesOf(host: string, signal: AbortSignal, share: string): Promise<LookupAnswer> {
    const known = (await this.hostsFile()).get(host);
    if (known !== undefined) return { ok: true, addresses: known };
    try {
      return await this.slots.run(share, () => this.ask(host, signal), signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return { ok: false, reason: 'timeout' };
    }
  }

  private async ask(host: string, signal: AbortSignal): Promise<LookupAnswer> {
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
    if (this.options.servers !== undefined) resolver.setServers(this.options.servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      // The final dot makes the name absolute, so no search domain is tried.
      const [ipv4, ipv6] = await bothFamilies(
        answerOf(4, resolver.resolve4(`${host}.`)),
        answerOf(6, resolver.resolve6(`${host}.`)),
      );
      const addresses = [...ipv4.addresses, ...ipv6.addresses];
      if (addresses.length > 0) return { ok: true, addresses };
      if (signal.aborted) return { ok: false, reason: 'timeout' };
      const unknown = [ipv4, ipv6].every(({ code }) => NO_SUCH_NAME.has(code));
      return { ok: false, reason: unknown ? 'unknown_host' : 'dns_temporary' };
    } finally {
      signal.removeEventListener('abort', cancel);
      // Cancels the query of the family that was not awaited.
      resolver.cancel();
    }
  }

  private hostsFile(): Promise<Map<string, HostAddress[]>> {
    const now = performance.now();
    if (this.hosts === null || now - this.hosts.readAt > HOSTS_FILE_LIFE_MS) {
      const addresses = readFile(this.options.hostsFile ?? '/etc/hosts', 'utf8').then(readHosts, () => new Map());
      this.hosts = { readAt: now, addresses };
    }
    return this.hosts.addresses;
  }
}

function answerOf(family: 4 | 6, addresses: Promise<string[]>): Promise<FamilyAnswer> {
  return addresses.then(
    (found) => ({ addresses: found.map((address) => ({ address, family })), code: '' }),
    (error: unknown) => ({ addresses: [], code: errorCode(error) ?? '' }),
  );
}

async function bothFamilies(
  ipv4: Promise<FamilyAnswer>,
  ipv6: Promise<FamilyAnswer>,
): Promise<[FamilyAnswer, FamilyAnswer]> {
  const first = await Promise.race([ipv4, ipv6]);
  if (first.addresses.length === 0) return Promise.all([ipv4, ipv6]);
  const late = new AbortController();
  const nothing = sleep(OTHER_FAMILY_MS, { addresses: [], code: '' }, { signal: late.signal }).catch(() => first);
  try {
    return await Promise.all([Promise.race([ipv4, nothing]), Promise.race([ipv6, nothing])]);
  } finally {
    late.abort();
  }
}

/** Returns the addresses by name in lower case. Lines that do not start with an address are ignored. */
function readHosts(text: string): Map<string, HostAddress[]> {
  const hosts = new Map<string, HostAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family !== 4 && family !== 6) continue;
    for (const name of names) {
      const key = name.toLowerCase().replace(/\.$/, '');
      hosts.set(key, [...(hosts.get(key) ?? []), { address, family }]);
    }
  }
  return hosts;
}
