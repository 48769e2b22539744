export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export type LookupFailure = 'unknown_host' | 'dns_temporary' | 'timeout';
export type LookupAnswer = { ok: true; addresses: readonly HostAddress[] } | { ok: false; reason: LookupFailure };

/** Looks up the addresses of host names. Never rejects. The result is a `timeout` when the signal aborts first. */
export abstract class HostLookup {
  /** `share` names the party that the lookup is for. Lookups of one share do not delay those of another. */
  abstract addressesOf(host: string, signal: AbortSignal, share: string): Promise<LookupAnswer>;
}
