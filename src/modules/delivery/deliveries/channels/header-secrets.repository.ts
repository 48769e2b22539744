import { Injectable } from '@nestjs/common';
import type { ProjectId, ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { type NamedSecret, type SecretReference, SecretUses } from '../../../entitlement/secrets/index.js';

/** Reads and writes which secrets the protected headers refer to. */
@Injectable()
export class HeaderSecretsRepository extends SecretUses {
  constructor(private readonly database: Database) {
    super();
  }

  async counts(
    { projectId }: ProjectScope,
    _secrets: readonly NamedSecret[],
    db?: Db,
  ): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.rows<{ secretId: string; headers: number }>(
      `SELECT secret_id AS "secretId", count(*)::int AS headers FROM protected_header_secrets
       WHERE project_id = $1 GROUP BY secret_id`,
      [projectId],
      db,
    );
    return new Map(rows.map(({ secretId, headers }) => [secretId, headers]));
  }

  /** Returns the uses of a secret, in the order in which their headers were added. */
  of({ projectId }: ProjectScope, { id }: NamedSecret, most: number, tx: Db): Promise<SecretReference[]> {
    return this.database.rows<SecretReference>(
      `SELECT c.id AS channel_id, c.name AS channel_name, h.name AS header_name
       FROM protected_header_secrets s
       JOIN delivery_protected_headers h ON h.id = s.header_id
       JOIN delivery_channels c ON c.id = h.channel_id
       WHERE s.project_id = $1 AND s.secret_id = $2 ORDER BY h.id LIMIT $3`,
      [projectId, id, most],
      tx,
    );
  }

  release(projectId: ProjectId, limit: number): Promise<number> {
    return this.database.execute(
      `DELETE FROM protected_header_secrets WHERE project_id = $1 AND (header_id, secret_id) IN (
         SELECT header_id, secret_id FROM protected_header_secrets WHERE project_id = $1 LIMIT $2)`,
      [projectId, limit],
    );
  }

  /** Returns whether one of these headers refers to a secret. */
  async isUsedBy({ projectId }: ProjectScope, headerIds: readonly string[], tx: Db): Promise<boolean> {
    const rows = await this.database.rows(
      'SELECT 1 FROM protected_header_secrets WHERE project_id = $1 AND header_id = ANY ($2::uuid[]) LIMIT 1',
      [projectId, headerIds],
      tx,
    );
    return rows.length > 0;
  }

  /** Replaces the references of a header by references to these secrets. */
  async replace({ projectId }: ProjectScope, headerId: string, secretIds: readonly string[], tx: Db): Promise<void> {
    await this.database.execute(
      `WITH gone AS (
         DELETE FROM protected_header_secrets
         WHERE project_id = $1 AND header_id = $2 AND secret_id <> ALL ($3::uuid[])
       )
       INSERT INTO protected_header_secrets (project_id, header_id, secret_id)
       SELECT $1, $2, unnest($3::uuid[]) ON CONFLICT DO NOTHING`,
      [projectId, headerId, secretIds],
      tx,
    );
  }
}
