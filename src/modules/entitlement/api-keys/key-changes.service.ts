import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope, ProjectScope } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { brokenRule } from '../../../platform/http/validation/index.js';
import { AuditWriter } from '../../identity/audit/index.js';
import { projectAct, ProjectAuthorization } from '../../tenancy/projects/index.js';
import type { ApiKeyRecord } from './api-key.entity.js';
import {
  apiKeyResponse,
  type ApiKeyResponse,
  type ChangeApiKeyRequest,
  type CreatedApiKeyResponse,
} from './api-keys.dto.js';
import { ApiKeyExpired, ApiKeyNotFound, ApiKeyRevoked, ApiKeyRotated } from './api-keys.errors.js';
import { ApiKeysRepository, type KeyFilter } from './api-keys.repository.js';
import { KeyAuthenticator } from './key-authenticator.js';
import { KeyIssuer } from './key-issuer.js';
import { keyStatus } from './key-status.js';

type Change = Parameters<ApiKeysRepository['update']>[2];

/**
 * Changes, rotates and revokes keys. Each change takes effect at once on this instance and, by a notification, on the
 * others. The filter says which keys a route is about; other keys are not found.
 */
@Injectable()
export class KeyChangesService {
  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeysRepository,
    private readonly issuer: KeyIssuer,
    private readonly authenticator: KeyAuthenticator,
    private readonly authorization: ProjectAuthorization,
    private readonly audit: AuditWriter,
    private readonly clock: Clock,
  ) {}

  change(scope: ProjectMemberScope, id: string, request: ChangeApiKeyRequest): Promise<ApiKeyResponse> {
    const { name, scopes, expires_at: expiresAt } = request;
    return this.applied(scope, id, {}, (key) => {
      if (key.allowedOrigins !== null && scopes?.some((one) => one !== 'events:write') === true) {
        throw brokenRule(['body', 'scopes'], 'a browser-safe key may only have events:write', scopes);
      }
      // The expiry of a replaced key is the end of its grace period. It cannot be changed, so that the key is not
      // revived.
      if (expiresAt !== undefined && key.rotatedTo !== null) throw new ApiKeyRotated();
      return {
        ...(name !== undefined && { name }),
        ...(scopes !== undefined && { scopes: [...new Set(scopes)] }),
        ...(expiresAt !== undefined && { expiresAt }),
      };
    });
  }

  changeBrowserKey(
    scope: ProjectMemberScope,
    id: string,
    sourceId: string,
    change: { readonly allowedOrigins?: readonly string[]; readonly rateLimitPerMinute?: number },
  ): Promise<ApiKeyResponse> {
    const { allowedOrigins, rateLimitPerMinute } = change;
    return this.applied(scope, id, { sourceId, browserSafe: true }, () => ({
      ...(allowedOrigins !== undefined && { allowedOrigins: [...new Set(allowedOrigins)] }),
      ...(rateLimitPerMinute !== undefined && { rateLimitPerMinute }),
    }));
  }

  /**
   * Creates a key with the same name, rights and expiry, which replaces this one. Returns the new key. The old key
   * works until the grace period is over.
   */
  async rotate(
    scope: ProjectMemberScope,
    id: string,
    graceSeconds: number,
    filter: KeyFilter = {},
  ): Promise<CreatedApiKeyResponse> {
    const issued = await this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const old = await this.get(scope, id, filter, tx);
      this.assertActive(old);
      const { name, scopes, sourceId, expiresAt, allowedOrigins, rateLimitPerMinute } = old;
      const isBrowserSafe = allowedOrigins !== null && rateLimitPerMinute !== null;
      const browser = isBrowserSafe ? { allowedOrigins, rateLimitPerMinute } : undefined;
      const fresh = await this.issuer.issue(scope, { name, scopes, sourceId, expiresAt, browser }, tx);
      await this.keys.replace(scope, id, { rotatedTo: fresh.id, graceSeconds }, tx);
      await this.record(scope, id, 'rotated', { rotated_to: fresh.id, grace_seconds: graceSeconds }, tx);
      return fresh;
    });
    this.authenticator.forgetAll();
    return issued;
  }

  /** Revokes a key. Revoking it twice returns the same. */
  async revoke(scope: ProjectMemberScope, id: string, filter: KeyFilter = {}): Promise<ApiKeyResponse> {
    const revoked = await this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      await this.get(scope, id, filter, tx);
      if (await this.keys.revoke(scope, id, tx)) await this.record(scope, id, 'revoked', {}, tx);
      return this.get(scope, id, {}, tx);
    });
    this.authenticator.forgetAll();
    return apiKeyResponse(revoked, this.clock.now());
  }

  /** Changes a key. An empty change writes nothing and records no audit event. */
  private async applied(
    scope: ProjectMemberScope,
    id: string,
    filter: KeyFilter,
    changeOf: (key: ApiKeyRecord) => Change,
  ): Promise<ApiKeyResponse> {
    const changed = await this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const key = await this.get(scope, id, filter, tx);
      if (key.revokedAt !== null) throw new ApiKeyRevoked();
      const change = changeOf(key);
      if (Object.keys(change).length === 0) return key;
      await this.keys.update(scope, id, change, tx);
      await this.record(scope, id, 'updated', auditable(change), tx);
      return this.get(scope, id, {}, tx);
    });
    this.authenticator.forgetAll();
    return apiKeyResponse(changed, this.clock.now());
  }

  private assertActive(key: ApiKeyRecord): void {
    switch (keyStatus(key, this.clock.now())) {
      case 'revoked':
        throw new ApiKeyRevoked();
      case 'expired':
        // A key that was rotated without a grace period is reported as rotated, not as expired.
        throw key.rotatedTo === null ? new ApiKeyExpired() : new ApiKeyRotated();
      case 'rotating':
        throw new ApiKeyRotated();
      case 'active':
    }
  }

  private async get(scope: ProjectScope, id: string, filter: KeyFilter, tx: Db): Promise<ApiKeyRecord> {
    const record = await this.keys.find(scope, id, filter, tx);
    if (record === null) throw new ApiKeyNotFound();
    return record;
  }

  private async record(scope: ProjectMemberScope, id: string, what: string, detail: object, tx: Db): Promise<void> {
    await this.audit.record(projectAct(scope, `api_key.${what}`, { ...detail }, { type: 'api_key', id }), tx);
    await this.authenticator.announceChange(id, tx);
  }
}

function auditable({ name, scopes, expiresAt, allowedOrigins, rateLimitPerMinute }: Change): object {
  return {
    name,
    scopes,
    expires_at: expiresAt instanceof Date ? expiresAt.toISOString() : expiresAt,
    allowed_origins: allowedOrigins,
    rate_limit_per_minute: rateLimitPerMinute,
  };
}
