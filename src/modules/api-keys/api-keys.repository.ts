import { Injectable } from '@nestjs/common';
import type { ApiKeyScopeName, ProjectScope } from '../../platform/access/index.js';
import { Database, type Db } from '../../platform/database/database.js';
import { ApiKeyRecord } from './api-key.entity.js';

/** What a presented key opens. */
export interface KeyIdentity {
  readonly apiKeyId: string;
  readonly projectId: string;
  readonly organizationId: string;
  readonly sourceId: string | null;
  readonly scopes: readonly ApiKeyScopeName[];
  readonly revoked: boolean;
  readonly expiresAt: Date | null;
}

/** API keys; only their hashes are stored. */
@Injectable()
export class ApiKeysRepository {
  constructor(private readonly database: Database) {}

  async insert(
    scope: ProjectScope,
    key: Omit<ApiKeyRecord, 'projectId' | 'createdAt' | 'lastUsedAt' | 'revokedAt'>,
    tx: Db,
  ): Promise<void> {
    await this.database.repository(ApiKeyRecord, tx).insert({ ...key, projectId: scope.projectId });
  }

  /** Newest first. */
  list(scope: ProjectScope): Promise<ApiKeyRecord[]> {
    return this.database
      .repository(ApiKeyRecord)
      .find({ where: { projectId: scope.projectId }, order: { createdAt: 'DESC', id: 'DESC' } });
  }

  find(scope: ProjectScope, id: string, db?: Db): Promise<ApiKeyRecord | null> {
    return this.database.repository(ApiKeyRecord, db).findOneBy({ projectId: scope.projectId, id });
  }

  /** False when there is no such key in the project, or it was revoked before. */
  async revoke(scope: ProjectScope, id: string, tx: Db): Promise<boolean> {
    const affected = await this.database.execute(
      'UPDATE api_keys SET revoked_at = now() WHERE project_id = $1 AND id = $2 AND revoked_at IS NULL',
      [scope.projectId, id],
      tx,
    );
    return affected === 1;
  }

  /** The project of a key, for the access guard; null when there is no such key. */
  async projectOf(id: string): Promise<string | null> {
    const rows = await this.database.rows<{ project_id: string }>('SELECT project_id FROM api_keys WHERE id = $1', [
      id,
    ]);
    return rows[0]?.project_id ?? null;
  }

  /** By the hash of the whole key; the only query without a scope, since the key is what gives one. */
  async identify(keyHash: Buffer): Promise<KeyIdentity | null> {
    const rows = await this.database.rows<KeyIdentity>(
      `SELECT k.id AS "apiKeyId", k.project_id AS "projectId", p.organization_id AS "organizationId",
              k.source_id AS "sourceId", k.scopes, k.revoked_at IS NOT NULL AS revoked, k.expires_at AS "expiresAt"
       FROM api_keys k JOIN projects p ON p.id = k.project_id
       WHERE k.key_hash = $1 AND p.deleted_at IS NULL`,
      [keyHash],
    );
    return rows[0] ?? null;
  }

  /** Keys that open the project at an instant. */
  async countActive(scope: Pick<ProjectScope, 'projectId'>, at: Date): Promise<number> {
    const [row] = await this.database.rows<{ active: number }>(
      `SELECT count(*)::int AS active FROM api_keys
       WHERE project_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`,
      [scope.projectId, at],
    );
    return row?.active ?? 0;
  }

  /** @returns how many were there */
  removeAll(projectId: string): Promise<number> {
    return this.database.execute('DELETE FROM api_keys WHERE project_id = $1', [projectId]);
  }

  /** Sets `last_used_at` of many keys at once; never moves it back. */
  async touch(uses: ReadonlyMap<string, Date>): Promise<void> {
    const ids = [...uses.keys()].sort();
    await this.database.execute(
      `UPDATE api_keys k SET last_used_at = greatest(k.last_used_at, u.used_at)
       FROM unnest($1::uuid[], $2::timestamptz[]) AS u (id, used_at) WHERE k.id = u.id`,
      [ids, ids.map((id) => uses.get(id))],
    );
  }
}
