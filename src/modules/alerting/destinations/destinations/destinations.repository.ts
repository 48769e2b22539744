import { Injectable } from '@nestjs/common';
import { projectOf, type ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { AlertDestination } from './destination.entity.js';
import { DestinationNotFound } from '../destinations.errors.js';

type Tenant = Pick<ProjectScope, 'projectId'>;

export type ChangedDestination = Pick<
  AlertDestination,
  'id' | 'name' | 'targetUrl' | 'sealedUrl' | 'isEnabled' | 'template' | 'templateUrl'
>;

@Injectable()
export class DestinationsRepository {
  constructor(private readonly database: Database) {}

  async insert(
    { projectId }: Tenant,
    destination: ChangedDestination & Pick<AlertDestination, 'type' | 'secret'>,
    tx: Db,
  ): Promise<void> {
    await this.database
      .repository(AlertDestination, tx)
      .insert({ ...destination, template: destination.template as object, projectId });
  }

  /** Returns the destinations of the project, newest first. */
  list({ projectId }: Tenant): Promise<AlertDestination[]> {
    return this.database
      .repository(AlertDestination)
      .find({ where: { projectId }, order: { createdAt: 'DESC', id: 'DESC' } });
  }

  countOf({ projectId }: Tenant, tx: Db): Promise<number> {
    return this.database.repository(AlertDestination, tx).countBy({ projectId });
  }

  find({ projectId }: Tenant, id: string, db?: Db): Promise<AlertDestination | null> {
    return this.database.repository(AlertDestination, db).findOneBy({ projectId, id });
  }

  /** Locks the row, so that changes of a destination run one after another. Deliveries can still be inserted. */
  lock({ projectId }: Tenant, id: string, tx: Db): Promise<AlertDestination | null> {
    return this.database
      .repository(AlertDestination, tx)
      .findOne({ where: { projectId, id }, lock: { mode: 'for_no_key_update' } });
  }

  async update(
    { projectId }: Tenant,
    { id, name, targetUrl, sealedUrl, isEnabled, template, templateUrl }: ChangedDestination,
    tx: Db,
  ): Promise<void> {
    await this.database.execute(
      `UPDATE alert_destinations
       SET name = $3, target_url = $4, sealed_url = $5, is_enabled = $6, template = $7,
           template_url = $8, updated_at = clock_timestamp()
       WHERE project_id = $1 AND id = $2`,
      [projectId, id, name, targetUrl, sealedUrl, isEnabled, template && JSON.stringify(template), templateUrl],
      tx,
    );
  }

  /**
   * Replaces the secret. The previous secret signs in addition for `graceSeconds`. When the new secret is null, signing
   * ends at once.
   */
  async rotateSecret(
    { projectId }: Tenant,
    id: string,
    secret: string | null,
    graceSeconds: number,
    tx: Db,
  ): Promise<void> {
    await this.database.execute(
      `UPDATE alert_destinations
       SET secret = $3::text, updated_at = clock_timestamp(),
           previous_secret = CASE WHEN $3::text IS NULL THEN NULL ELSE secret END,
           previous_secret_until = CASE WHEN $3::text IS NULL OR secret IS NULL THEN NULL
                                        ELSE clock_timestamp() + $4 * interval '1 second' END
       WHERE project_id = $1 AND id = $2`,
      [projectId, id, secret, graceSeconds],
      tx,
    );
  }

  async remove({ projectId }: Tenant, id: string, tx: Db): Promise<void> {
    await this.database.execute(
      'DELETE FROM alert_destinations WHERE project_id = $1 AND id = $2',
      [projectId, id],
      tx,
    );
  }

  /** Returns the ids that are destinations of the project. They cannot be deleted until the transaction ends. */
  async share({ projectId }: Tenant, ids: readonly string[], tx: Db): Promise<string[]> {
    const rows = await this.database.rows<{ id: string }>(
      'SELECT id FROM alert_destinations WHERE project_id = $1 AND id = ANY($2::uuid[]) ORDER BY id FOR KEY SHARE',
      [projectId, ids],
      tx,
    );
    return rows.map(({ id }) => id);
  }

  /** Returns the enabled destinations of these types or ids. They cannot be deleted until the transaction ends. */
  shareEnabled(
    { projectId }: Tenant,
    which: { readonly types: readonly string[] } | { readonly ids: readonly string[] },
    tx: Db,
  ): Promise<Pick<AlertDestination, 'id' | 'name' | 'type'>[]> {
    const [condition, wanted] =
      'types' in which ? ['type = ANY($2::text[])', which.types] : ['id = ANY($2::uuid[])', which.ids];
    return this.database.rows<Pick<AlertDestination, 'id' | 'name' | 'type'>>(
      `SELECT id, name, type FROM alert_destinations
       WHERE project_id = $1 AND is_enabled AND ${condition} ORDER BY id FOR KEY SHARE`,
      [projectId, wanted],
      tx,
    );
  }

  /** Deletes previous secrets that have expired. @returns how many were deleted */
  forgetPreviousSecrets(): Promise<number> {
    return this.database.execute(
      `UPDATE alert_destinations SET previous_secret = NULL, previous_secret_until = NULL
       WHERE /* every tenant: what has expired */ previous_secret IS NOT NULL AND previous_secret_until <= now()`,
    );
  }
}

export class ProjectOfDestination extends projectOf('destination_id', AlertDestination, DestinationNotFound) {}
