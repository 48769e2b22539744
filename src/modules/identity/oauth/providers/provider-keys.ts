import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey, type LocalJWKSet } from 'jose';
import type { Clock } from '../../../../platform/clock/index.js';
import { ProviderUnreachable } from '../oauth-fault.js';
import { type ProviderTransport, requestJson } from './provider-http.js';
import { CachedFetch } from './cached-fetch.js';

/** How long fetched keys are used. A key that the provider withdraws is accepted for at most this long. */
const KEYS_LIFE_MS = 3_600_000;
/**
 * Minimum time between two fetches for an unknown key, so that tokens with invented key ids cause no flood of requests.
 */
const LOOK_AGAIN_MS = 30_000;

/**
 * A provider's published keys. They are cached for an hour, and fetched again when a token names a key that is not
 * among them.
 */
export class ProviderKeys {
  private readonly keys: CachedFetch<LocalJWKSet>;
  private nextLook = 0;

  constructor(
    keysUrl: () => Promise<URL>,
    private readonly clock: Clock,
    transport?: ProviderTransport,
  ) {
    this.keys = new CachedFetch(async () => fetchKeys(await keysUrl(), transport), KEYS_LIFE_MS, clock);
  }

  /** Resolves the key that a token names. Passed to `jwtVerify`. */
  readonly resolve: JWTVerifyGetKey = async (header, token) => {
    const known = await this.keys.get();
    try {
      return await known(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const newer = await this.newerThan(known);
      if (newer === null) throw error;
      return newer(header, token);
    }
  };

  /** Returns keys that are newer than `known`, or null when the last fetch is too recent. */
  private async newerThan(known: LocalJWKSet): Promise<LocalJWKSet | null> {
    const present = await this.keys.get();
    if (present !== known) return present;
    if (!this.keys.isLoading) {
      const now = this.clock.now().getTime();
      if (now < this.nextLook) return null;
      this.nextLook = now + LOOK_AGAIN_MS;
    }
    return this.keys.reload();
  }
}

async function fetchKeys(url: URL, transport?: ProviderTransport): Promise<LocalJWKSet> {
  const { status, body } = await requestJson(url, { what: 'provider keys', transport });
  if (status !== 200 || body === null || !Array.isArray(body['keys'])) {
    throw new ProviderUnreachable(`provider keys: answered ${status} without keys`);
  }
  return createLocalJWKSet(body as unknown as JSONWebKeySet);
}
