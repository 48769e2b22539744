import { Injectable } from '@nestjs/common';
import type { ProjectId, ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';

/** The bytes and objects of an organization. The `reserved` bytes belong to content that is still being uploaded. */
export interface StorageTotals {
  readonly stored: number;
  readonly reserved: number;
  readonly objects: number;
}

const NOTHING: StorageTotals = { stored: 0, reserved: 0, objects: 0 };

/** How the totals change when content is stored or removed. */
export interface StorageChange {
  readonly stored: number;
  readonly objects: number;
  /** The bytes to subtract from the reserved ones. */
  readonly unreserved?: number;
}

/**
 * Counts what each organization and project has stored. Every change runs in the transaction of the operation that
 * causes it.
 */
@Injectable()
export class StorageTotalsRepository {
  constructor(private readonly database: Database) {}

  async of({ organizationId }: Pick<ProjectScope, 'organizationId'>, db?: Db): Promise<StorageTotals> {
    const [row] = await this.database.rows<StorageTotals>(
      `SELECT stored::float8, reserved::float8, objects::float8 FROM storage_totals WHERE organization_id = $1`,
      [organizationId],
      db,
    );
    return row ?? NOTHING;
  }

  async ofProject({ projectId }: ProjectScope, db?: Db): Promise<Pick<StorageTotals, 'stored' | 'objects'>> {
    const [row] = await this.database.rows<Pick<StorageTotals, 'stored' | 'objects'>>(
      `SELECT stored::float8, objects::float8 FROM project_storage_totals WHERE project_id = $1`,
      [projectId],
      db,
    );
    return row ?? NOTHING;
  }

  /**
   * Reserves bytes. The statement locks the row, so parallel requests succeed only while their bytes fit.
   * @param limit null means none. Zero bytes always fit, even when more is stored than a new plan allows.
   * @returns false when the bytes do not fit
   */
  async reserve(
    { organizationId }: Pick<ProjectScope, 'organizationId'>,
    bytes: number,
    limit: number | null,
    tx: Db,
  ): Promise<boolean> {
    const changed = await this.database.execute(
      `INSERT INTO storage_totals AS t (organization_id, reserved)
       SELECT $1::uuid, $2::bigint WHERE $3::bigint IS NULL OR $2::bigint <= $3::bigint
         OR EXISTS (SELECT FROM storage_totals WHERE organization_id = $1)
       ON CONFLICT (organization_id) DO UPDATE SET reserved = t.reserved + excluded.reserved
         WHERE $2::bigint = 0 OR $3::bigint IS NULL OR t.stored + t.reserved + $2::bigint <= $3::bigint`,
      [organizationId, bytes, limit],
      tx,
    );
    return changed > 0;
  }

  /** Returns whether so many bytes fit in addition to the stored and reserved ones. Locks the row. */
  async fits(
    { organizationId }: Pick<ProjectScope, 'organizationId'>,
    bytes: number,
    limit: number,
    tx: Db,
  ): Promise<boolean> {
    const [row] = await this.database.rows<{ fits: boolean }>(
      `SELECT stored + reserved + $2 <= $3 AS fits FROM storage_totals WHERE organization_id = $1 FOR UPDATE`,
      [organizationId, bytes, limit],
      tx,
    );
    return row?.fits ?? true;
  }

  /**
   * Subtracts all that a deleted project has stored. A repetition does no harm, because the project's row says what is
   * left to subtract.
   */
  async giveBackAll(projectId: ProjectId, tx: Db): Promise<void> {
    await this.database.execute(
      `WITH gone AS (DELETE FROM project_storage_totals WHERE project_id = $1 RETURNING project_id, stored, objects)
       UPDATE storage_totals t SET stored = t.stored - gone.stored, objects = t.objects - gone.objects
       FROM gone JOIN projects p ON p.id = gone.project_id WHERE t.organization_id = p.organization_id`,
      [projectId],
      tx,
    );
  }

  async change(scope: ProjectScope, change: StorageChange, tx: Db): Promise<void> {
    const { stored, objects, unreserved = 0 } = change;
    await this.database.execute(
      `UPDATE storage_totals SET stored = stored + $2, objects = objects + $3, reserved = reserved - $4
       WHERE organization_id = $1`,
      [scope.organizationId, stored, objects, unreserved],
      tx,
    );
    await this.database.execute(
      `INSERT INTO project_storage_totals AS t (project_id, stored, objects)
       SELECT $1::uuid, greatest($2::bigint, 0), greatest($3::bigint, 0)
       ON CONFLICT (project_id) DO UPDATE SET stored = t.stored + $2, objects = t.objects + $3`,
      [scope.projectId, stored, objects],
      tx,
    );
  }
}
