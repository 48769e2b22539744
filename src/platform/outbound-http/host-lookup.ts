export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export type LookupFailure = 'unknown_host' | 'dns_temporary' | 'timeout';
export type LookupAnswer = { ok: true; addresses: readonly HostAddress[] } | { ok: false; reason: LookupFailure };

/** Finds the addresses of host names. Never rejects; ends with `timeout` when the signal comes first. */
export abstract class HostLookup {
  /** `share` is whom the look-up is for: look-ups of one share do not hold up those of another. */
  abstract addressesOf(host: string, signal: AbortSignal, share: string): Promise<LookupAnswer>;
}
