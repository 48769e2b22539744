import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import {
  ApiKeyAuthenticator,
  apiKeyOf,
  type ApiKeyScope,
  type ApiKeyScopeName,
  CredentialMissing,
  type Credentialed,
  RequestMemo,
} from '../../access/index.js';
import { LRUCache } from 'lru-cache';
import { BackgroundWork } from '../../../platform/background/background-work.js';
import { LookupCache } from '../../../platform/caching/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { FairSemaphore } from '../../../platform/concurrency/index.js';
import { parseKey, sha256 } from '../../../platform/crypto/index.js';
import type { Db } from '../../../platform/database/database.js';
import { NotificationBus } from '../../../platform/database/notification-bus.js';
import { NotAuthenticated } from '../../../platform/http/domain-error.js';
import { addressBucket } from '../../../platform/rate-limit/index.js';
import { IngestionFailuresRecorder } from '../ingestion-failures/index.js';
import { ProjectChangesNotifier } from '../../tenancy/projects/index.js';
import {
  ApiKeyNotActive,
  EventSourceDisabled,
  IngestionKeyRevoked,
  InvalidApiKey,
  MissingReadScope,
  MissingWriteScope,
  OriginNotAllowed,
  ProjectHasNoOrganization,
} from './api-keys.errors.js';
import { ApiKeysRepository, type KeyIdentity } from './api-keys.repository.js';
import { CREDENTIAL_LOOKUPS } from './credential-lookups.js';
import { KeyUseRecorder } from './key-use.recorder.js';

const CHANNEL = 'api_key_changed';
/**
 * How long a cached lookup is trusted if a notification is lost. A revoked key must stop working everywhere within 5
 * seconds.
 */
const TRUST_MS = 4_000;
const MAX_ENTRIES = 20_000;
const MAX_UNKNOWN = 5_000;
/** The result of a lookup. A cached result is returned without a promise, because every ingestion request needs one. */
type Told = KeyIdentity | null | Promise<KeyIdentity | null>;

/**
 * Finds the project of a key. A wrong checksum never reaches the database. Lookups are cached by hash, shared by
 * parallel requests, and dropped on every instance when a key changes.
 */
@Injectable()
export class KeyAuthenticator extends ApiKeyAuthenticator implements OnModuleInit, OnModuleDestroy {
  private readonly lookups: LookupCache<string, KeyIdentity | null>;
  /** Unknown keys have their own cache: anybody can make up well-formed keys, which must not evict real ones. */
  private readonly unknown: LRUCache<string, true>;
  private readonly slots = new FairSemaphore(CREDENTIAL_LOOKUPS);
  private readonly identities = new RequestMemo<Told>('API key');
  private readonly releases: (() => void)[] = [];

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly uses: KeyUseRecorder,
    private readonly projects: ProjectChangesNotifier,
    private readonly notifications: NotificationBus,
    private readonly clock: Clock,
    private readonly failures: IngestionFailuresRecorder,
    private readonly background: BackgroundWork,
  ) {
    super();
    this.lookups = new LookupCache({ trustMs: TRUST_MS, most: MAX_ENTRIES, clock, look: (hash) => this.look(hash) });
    this.unknown = new LRUCache({
      max: MAX_UNKNOWN,
      ttl: TRUST_MS,
      ttlResolution: 0,
      perf: { now: () => clock.now().getTime() },
    });
  }

  onModuleInit(): void {
    const forget = (): void => this.forgetAll();
    this.releases.push(
      this.notifications.subscribe(CHANNEL, forget),
      this.notifications.onReconnect(forget),
      // The keys of a deleted project stop working.
      this.projects.onChange(forget),
    );
  }

  onModuleDestroy(): void {
    for (const release of this.releases) release();
  }

  /** Source and origin are checked at ingestion only: they limit who may send, not who may read. */
  async authenticate(request: Credentialed, needed: readonly ApiKeyScopeName[]): Promise<ApiKeyScope> {
    const key = apiKeyOf(request);
    if (key === null) throw new CredentialMissing();
    // An access token of a person is not a key. Any other text that is not found is an unknown key.
    if (/^eyJ[\w-]*\.[\w-]*\.[\w-]*$/.test(key)) throw new NotAuthenticated();
    const identity = await this.identityOf(request);
    if (identity === null) throw new InvalidApiKey();
    const now = this.clock.now();
    const isIngestion = needed.length === 1 && needed[0] === 'events:write';
    if (!isActive(identity, now)) {
      throw identity.isRevoked && isIngestion ? new IngestionKeyRevoked() : new ApiKeyNotActive();
    }
    if (isIngestion && !identity.sourceEnabled) {
      const requestId = request.requestId ?? null;
      const failure = { reasonCode: 'source_disabled' as const, statusCode: EventSourceDisabled.status, requestId };
      this.background.start('record', {
        name: 'refusal of a disabled source',
        share: identity.apiKeyId,
        work: () => this.failures.record(identity, failure),
      });
      throw new EventSourceDisabled();
    }
    if (needed.length > 0 && !needed.some((scope) => identity.scopes.includes(scope))) {
      throw needed[0] === 'events:write' ? new MissingWriteScope() : new MissingReadScope();
    }
    // Everybody who opens the page has its browser-safe key, so such a key can only write events and show itself.
    if (needed.length > 0 && !isIngestion && identity.allowedOrigins !== null) throw new MissingReadScope();
    if (isIngestion && !admitsOrigin(identity, request.headers.origin)) throw new OriginNotAllowed();
    const { apiKeyId, projectId, organizationId, sourceId, scopes } = identity;
    // Routes that need `events:read` read the organization, so they report that the organization is missing.
    if (organizationId === null) {
      throw needed.includes('events:read') ? new ProjectHasNoOrganization() : new InvalidApiKey();
    }
    this.uses.record(apiKeyId, now);
    return { kind: 'api-key', apiKeyId, projectId, organizationId, sourceId, scopes };
  }

  /**
   * Records that a rate limit refused ingestion with the key, if the key is active. The request does not wait for the
   * record.
   */
  limited(request: Credentialed & { readonly ip?: string | undefined }): void {
    const requestId = request.requestId ?? null;
    const work = async (): Promise<void> => {
      const identity = await this.identityOf(request);
      const now = this.clock.now();
      if (identity === null || !isActive(identity, now)) return;
      await this.failures.record(identity, { reasonCode: 'rate_limited', statusCode: 429, requestId });
    };
    this.background.start('record', {
      name: 'refusal by a rate limit',
      // The work is shared by address and not by key, because a sender can make up any number of keys.
      share: addressBucket(request.ip),
      work,
    });
  }

  /** Returns whether a key is neither revoked nor expired. */
  isLive(identity: KeyIdentity): boolean {
    return isActive(identity, this.clock.now());
  }

  /**
   * Returns the key that the request carries, looked up once a request. Revoked and expired keys are returned too.
   * Null: the request carries no known key.
   */
  identityOf(request: Credentialed & { readonly ip?: string | undefined }): Told {
    return this.identities.of(request, () => {
      const key = apiKeyOf(request);
      return key === null ? null : this.identify(key, request.ip);
    });
  }

  private identify(key: string, ip: string | undefined): Told {
    const cacheKey = sha256(key).toString('base64');
    const known = this.lookups.known(cacheKey);
    if (known !== undefined) return known;
    if (parseKey(key) === null || this.unknown.has(cacheKey)) return null;
    // Another request may have looked the same key up while this one waited.
    const look = async (): Promise<KeyIdentity | null> =>
      this.unknown.has(cacheKey) ? null : this.lookups.of(cacheKey);
    return this.slots.runNow(addressBucket(ip), look) ?? this.slots.run(addressBucket(ip), look);
  }

  private async look(cacheKey: string): Promise<KeyIdentity | null> {
    const identity = await this.keys.identify(Buffer.from(cacheKey, 'base64'));
    if (identity === null) {
      this.lookups.forget(cacheKey);
      this.unknown.set(cacheKey, true);
    }
    return identity;
  }

  /** Notifies every instance when the transaction that changes the key commits. */
  async announceChange(apiKeyId: string, tx: Db): Promise<void> {
    await this.notifications.publish(CHANNEL, apiKeyId, tx);
  }

  /**
   * Drops all lookups of this instance, after the commit of a change. Dropping all of them is cheap, because changes
   * are rare.
   */
  forgetAll(): void {
    this.lookups.forgetAll();
    this.unknown.clear();
  }
}

function isActive({ isRevoked, isExpired, expiresAt }: KeyIdentity, now: Date): boolean {
  return !isRevoked && !isExpired && (expiresAt === null || expiresAt > now);
}

/** Returns whether the key accepts events from a page of this origin. */
export function admitsOrigin(
  { allowedOrigins }: Pick<KeyIdentity, 'allowedOrigins'>,
  origin: string | undefined,
): boolean {
  return allowedOrigins === null || (origin !== undefined && allowedOrigins.includes(origin));
}
