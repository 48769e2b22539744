import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey, type LocalJWKSet } from 'jose';
import type { Clock } from '../../../../platform/clock/index.js';
import { OAuthFault } from '../oauth-fault.js';
import { requestJson } from './provider-http.js';
import { CachedFetch } from './cached-fetch.js';

/** A key the provider withdraws is not believed for longer than this. */
const KEYS_LIFE_MS = 3_600_000;
/** Between two looks for a key that is not there, so that tokens with invented key ids cause no flood. */
const LOOK_AGAIN_MS = 30_000;

/** A provider's published keys: kept for an hour, and fetched anew when a token names one that is not among them. */
export class ProviderKeys {
  private readonly keys: CachedFetch<LocalJWKSet>;
  private nextLook = 0;

  constructor(
    keysUrl: () => Promise<URL>,
    private readonly clock: Clock,
  ) {
    this.keys = new CachedFetch(async () => fetchKeys(await keysUrl()), KEYS_LIFE_MS, clock);
  }

  /** For `jwtVerify`: the key a token names. */
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

  /** Null when it is too early to ask again. */
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

async function fetchKeys(url: URL): Promise<LocalJWKSet> {
  const { status, body } = await requestJson(url, { what: 'provider keys' });
  if (status !== 200 || body === null || !Array.isArray(body['keys'])) {
    throw new OAuthFault(`provider keys: answered ${status} without keys`);
  }
  return createLocalJWKSet(body as unknown as JSONWebKeySet);
}
