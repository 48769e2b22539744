import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, IsNull, Not } from 'typeorm';
import {
  type ApiKeyScopeName,
  type OrganizationId,
  type ProjectId,
  projectOf,
  type ProjectScope,
  type UserId,
} from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { ApiKeyRecord } from './api-key.entity.js';
import { ApiKeyNotFound } from './api-keys.errors.js';

/** The identity and rights that a presented key gives. */
export interface KeyIdentity {
  readonly apiKeyId: string;
  readonly projectId: ProjectId;
  /** Null when the project's row was deleted or has no organization. */
  readonly organizationId: OrganizationId | null;
  readonly sourceId: string | null;
  readonly scopes: readonly ApiKeyScopeName[];
  readonly isRevoked: boolean;
  /** Whether the key has expired, by the database's clock. */
  readonly isExpired: boolean;
  readonly expiresAt: Date | null;
  /** True also for a key without an Event Source. */
  readonly sourceEnabled: boolean;
  /** Null for an ordinary key, which may be used anywhere. */
  readonly allowedOrigins: readonly string[] | null;
}

/** A key that an operator named, without its secret. */
export interface FoundKey extends ProjectScope {
  readonly id: string;
  readonly prefix: string;
  readonly name: string;
  readonly projectName: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

/** Narrows the keys of a project. */
export interface KeyFilter {
  readonly sourceId?: string | undefined;
  /** True selects browser-safe keys only. */
  readonly browserSafe?: boolean;
}

export type NewApiKey = Omit<ApiKeyRecord, 'projectId' | 'createdAt' | 'lastUsedAt' | 'revokedAt' | 'rotatedTo'>;

/** Stores API keys. Of each key, only the hash is stored. */
@Injectable()
export class ApiKeysRepository {
  constructor(private readonly database: Database) {}

  async insert(scope: ProjectScope, key: NewApiKey, tx: Db): Promise<void> {
    await this.database.repository(ApiKeyRecord, tx).insert({ ...key, projectId: scope.projectId });
  }

  /** Returns the keys, newest first. */
  list(scope: ProjectScope, filter: KeyFilter = {}): Promise<ApiKeyRecord[]> {
    return this.database
      .repository(ApiKeyRecord)
      .find({ where: { projectId: scope.projectId, ...conditions(filter) }, order: { createdAt: 'DESC', id: 'DESC' } });
  }

  find(scope: ProjectScope, id: string, filter: KeyFilter = {}, db?: Db): Promise<ApiKeyRecord | null> {
    return this.database
      .repository(ApiKeyRecord, db)
      .findOneBy({ projectId: scope.projectId, id, ...conditions(filter) });
  }

  async update(
    scope: ProjectScope,
    id: string,
    change: Partial<Pick<ApiKeyRecord, 'name' | 'scopes' | 'expiresAt' | 'allowedOrigins' | 'rateLimitPerMinute'>>,
    tx: Db,
  ): Promise<void> {
    await this.database.repository(ApiKeyRecord, tx).update({ projectId: scope.projectId, id }, change);
  }

  /** Marks a key as replaced. The key works for the grace period only, and never beyond its former expiry. */
  async replace(
    scope: ProjectScope,
    id: string,
    { rotatedTo, graceSeconds }: { readonly rotatedTo: string; readonly graceSeconds: number },
    tx: Db,
  ): Promise<void> {
    await this.database.execute(
      `UPDATE api_keys SET rotated_to = $3, expires_at = least(expires_at, now() + make_interval(secs => $4))
       WHERE project_id = $1 AND id = $2`,
      [scope.projectId, id, rotatedTo, graceSeconds],
      tx,
    );
  }

  /** Returns false when the project has no such key, or when the key was revoked before. */
  async revoke(scope: ProjectScope, id: string, tx: Db): Promise<boolean> {
    const affected = await this.database.execute(
      'UPDATE api_keys SET revoked_at = now() WHERE project_id = $1 AND id = $2 AND revoked_at IS NULL',
      [scope.projectId, id],
      tx,
    );
    return affected === 1;
  }

  /**
   * Finds keys for operators by id, or by the beginning of the prefix that lists show. Keys that are not revoked come
   * first, and of these the newest. Keys of deleted projects are left out.
   */
  findByIdOrPrefix(idOrPrefix: string, limit: number): Promise<FoundKey[]> {
    return this.database.rows<FoundKey>(
      `SELECT /* every tenant: the key that an operator names */ k.id, k.prefix, k.name, k.project_id AS "projectId",
              p.organization_id AS "organizationId", p.name AS "projectName", k.created_at AS "createdAt",
              k.revoked_at AS "revokedAt"
       FROM api_keys k JOIN projects p ON p.id = k.project_id
       WHERE (k.id::text = lower($1) OR starts_with(k.prefix, $1)) AND p.deleted_at IS NULL
       ORDER BY k.revoked_at IS NOT NULL, k.created_at DESC, k.id DESC LIMIT $2`,
      [idOrPrefix, limit],
    );
  }

  /** Finds a key by the hash of the whole key. The query has no scope, because the key itself gives the scope. */
  async identify(keyHash: Buffer): Promise<KeyIdentity | null> {
    const rows = await this.database.rows<KeyIdentity>(
      `SELECT k.id AS "apiKeyId", k.project_id AS "projectId", p.organization_id AS "organizationId",
              k.source_id AS "sourceId", k.scopes, k.expires_at AS "expiresAt", k.allowed_origins AS "allowedOrigins",
              k.revoked_at IS NOT NULL AS "isRevoked", coalesce(k.expires_at <= now(), false) AS "isExpired",
              coalesce(s.is_enabled, true) AS "sourceEnabled"
       FROM api_keys k LEFT JOIN projects p ON p.id = k.project_id
       LEFT JOIN event_sources s ON s.id = k.source_id
       WHERE k.key_hash = $1 /* tenant: whoever shows the key */ AND p.deleted_at IS NULL`,
      [keyHash],
    );
    return rows[0] ?? null;
  }

  /** Returns whether the project has this Event Source. */
  async hasSource(scope: ProjectScope, sourceId: string, tx: Db): Promise<boolean> {
    const rows = await this.database.rows(
      'SELECT 1 FROM event_sources WHERE project_id = $1 AND id = $2',
      [scope.projectId, sourceId],
      tx,
    );
    return rows.length > 0;
  }

  /**
   * Clears `created_by` of the keys that a deleted account has created. Keys belong to their project and outlive the
   * account.
   */
  async forgetMaker(userId: UserId, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE api_keys SET created_by = NULL WHERE created_by = $1 /* every tenant: an account that is deleted */',
      [userId],
      tx,
    );
  }

  /**
   * Removes all keys of a deleted project at once, because there are few. None of them has worked since the deletion.
   * @returns the number of removed keys
   */
  removeOf(projectId: ProjectId): Promise<number> {
    return this.database.execute('DELETE FROM api_keys WHERE project_id = $1', [projectId]);
  }

  /** Sets `last_used_at` of many keys at once; never moves it back. */
  async touch(uses: ReadonlyMap<string, Date>): Promise<void> {
    const ids = [...uses.keys()].sort();
    await this.database.execute(
      `UPDATE api_keys k SET last_used_at = greatest(k.last_used_at, u.used_at)
       FROM unnest($1::uuid[], $2::timestamptz[]) AS u (id, used_at)
       WHERE k.id = u.id /* every tenant: keys that have just identified themselves */`,
      [ids, ids.map((id) => uses.get(id))],
    );
  }
}

function conditions({ sourceId, browserSafe }: KeyFilter): FindOptionsWhere<ApiKeyRecord> {
  return {
    ...(sourceId !== undefined && { sourceId }),
    ...(browserSafe === true && { allowedOrigins: Not(IsNull()) }),
  };
}

export class ProjectOfApiKey extends projectOf('key_id', ApiKeyRecord, ApiKeyNotFound) {}
