import { Injectable } from '@nestjs/common';
import { type ProjectId, projectOf, type ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { ProjectSecret } from './secret.entity.js';
import { SecretNotFound } from './secrets.errors.js';

/** The fields of a secret that are returned: all but its value. */
export type ToldSecret = Omit<ProjectSecret, 'value'>;

const TOLD = `
  SELECT id, project_id AS "projectId", name, description, version, last_used_at AS "lastUsedAt",
         created_by AS "createdBy", updated_by AS "updatedBy", created_at AS "createdAt", updated_at AS "updatedAt"
  FROM project_secrets`;

@Injectable()
export class SecretsRepository {
  constructor(private readonly database: Database) {}

  /** Returns the secrets in the order of their names. */
  list({ projectId }: ProjectScope): Promise<ToldSecret[]> {
    return this.database.rows<ToldSecret>(`${TOLD} WHERE project_id = $1 ORDER BY name COLLATE "C"`, [projectId]);
  }

  async find({ projectId }: ProjectScope, id: string, tx: Db): Promise<ToldSecret | null> {
    const rows = await this.database.rows<ToldSecret>(`${TOLD} WHERE project_id = $1 AND id = $2`, [projectId, id], tx);
    return rows[0] ?? null;
  }

  /**
   * Locks the row, so that nothing can start to use the secret until the transaction ends. Waits for transactions
   * that have already started to use it.
   */
  async lockForRemoval({ projectId }: ProjectScope, id: string, tx: Db): Promise<ToldSecret | null> {
    const rows = await this.database.rows<ToldSecret>(
      `${TOLD} WHERE project_id = $1 AND id = $2 FOR UPDATE`,
      [projectId, id],
      tx,
    );
    return rows[0] ?? null;
  }

  /**
   * Locks the row, so that replacements of the value run one after another. Other places can still start to use the
   * secret.
   */
  async lock({ projectId }: ProjectScope, id: string, tx: Db): Promise<ToldSecret | null> {
    const rows = await this.database.rows<ToldSecret>(
      `${TOLD} WHERE project_id = $1 AND id = $2 FOR NO KEY UPDATE`,
      [projectId, id],
      tx,
    );
    return rows[0] ?? null;
  }

  countOf({ projectId }: ProjectScope, tx: Db): Promise<number> {
    return this.database.repository(ProjectSecret, tx).countBy({ projectId });
  }

  /** Fails on the constraint of names when the name is in use. */
  async insert(
    { projectId }: ProjectScope,
    secret: Pick<ProjectSecret, 'id' | 'name' | 'description' | 'value' | 'version' | 'createdBy' | 'updatedBy'>,
    tx: Db,
  ): Promise<void> {
    await this.database.repository(ProjectSecret, tx).insert({ ...secret, projectId });
  }

  async replace(
    { projectId }: ProjectScope,
    {
      id,
      description,
      value,
      version,
      updatedBy,
    }: Pick<ProjectSecret, 'id' | 'description' | 'value' | 'version' | 'updatedBy'>,
    tx: Db,
  ): Promise<void> {
    await this.database.execute(
      `UPDATE project_secrets
       SET description = $3, value = $4, version = $5, updated_by = $6, updated_at = clock_timestamp()
       WHERE project_id = $1 AND id = $2`,
      [projectId, id, description, value, version, updatedBy],
      tx,
    );
  }

  /** Fails on the foreign key while a header uses the secret. */
  async remove({ projectId }: ProjectScope, id: string, tx: Db): Promise<void> {
    await this.database.execute('DELETE FROM project_secrets WHERE project_id = $1 AND id = $2', [projectId, id], tx);
  }

  /** Removes all secrets of a project at once, because there are few. @returns the number of removed secrets */
  removeAll(projectId: ProjectId): Promise<number> {
    return this.database.execute('DELETE FROM project_secrets WHERE project_id = $1', [projectId]);
  }
}

export class ProjectOfSecret extends projectOf('secret_id', ProjectSecret, SecretNotFound) {}
