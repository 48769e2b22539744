import { Injectable } from '@nestjs/common';
import type { ProjectId, ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';

/** The length of the lease for writing a blob. The writer prolongs the lease while it works. */
export const LEASE_SECONDS = 20;
/** When content is replaced or deleted, responses that are already sending it have this long to finish. */
const LAST_READERS_SECONDS = 15 * 60;
/** If a sweep dies, another one takes over its blobs after this time. */
const SWEEP_SECONDS = 300;

/**
 * Returns the reserved bytes of the blobs in `gone` to their organizations. The rows of several organizations are
 * always locked in the same order.
 */
const GIVEN_BACK = `sums AS (
         SELECT organization_id, sum(size) AS size FROM gone GROUP BY organization_id),
       held AS (
         SELECT organization_id FROM storage_totals WHERE organization_id IN (SELECT organization_id FROM sums)
         ORDER BY organization_id FOR UPDATE),
       given AS (
         UPDATE storage_totals t SET reserved = t.reserved - sums.size FROM sums JOIN held USING (organization_id)
         WHERE t.organization_id = sums.organization_id)`;

export interface NewBlob {
  readonly id: string;
  /** The reserved bytes. If the size is not known, bytes are added as they arrive. */
  readonly size: number;
  /**
   * The driver of the store that the blob is first written to. If the blob is moved, it is requested from the new
   * store.
   */
  readonly driver: string;
}

export interface DoomedBlob {
  readonly id: string;
  readonly uploadToken: string | null;
}

/**
 * Tracks every blob that the store holds or may hold. The row exists before the first byte is written, and until the
 * last byte is removed. A blob is `writing` under a lease, `live` while an object uses it, and `doomed` until it is
 * removed from the store.
 */
@Injectable()
export class BlobsRepository {
  constructor(private readonly database: Database) {}

  async insert({ organizationId, projectId }: ProjectScope, blob: NewBlob, tx: Db): Promise<void> {
    await this.database.execute(
      `INSERT INTO stored_blobs (id, organization_id, project_id, size, state, driver, due_at)
       VALUES ($1, $2, $3, $4, 'writing', $5, now() + make_interval(secs => ${LEASE_SECONDS}))`,
      [blob.id, organizationId, projectId, blob.size, blob.driver],
      tx,
    );
  }

  /** Marks a blob as uploaded in parts and sets its lease to end at `until`. @returns false when the lease is lost */
  async comesInParts({ projectId }: ProjectScope, id: string, token: string, until: Date, tx: Db): Promise<boolean> {
    const changed = await this.database.execute(
      `UPDATE stored_blobs SET upload_token = $3, due_at = $4
       WHERE project_id = $1 AND id = $2 AND state = 'writing' AND due_at > now()`,
      [projectId, id, token, until],
      tx,
    );
    return changed > 0;
  }

  /** Returns the store's token for the upload of a blob that comes in parts. */
  async uploadToken({ projectId }: ProjectScope, id: string, db?: Db): Promise<string | null> {
    const [row] = await this.database.rows<{ token: string | null }>(
      'SELECT upload_token AS token FROM stored_blobs WHERE project_id = $1 AND id = $2',
      [projectId, id],
      db,
    );
    return row?.token ?? null;
  }

  /** @returns false when the lease is lost: bytes written from then on do not count */
  async prolong({ projectId }: ProjectScope, id: string): Promise<boolean> {
    const changed = await this.database.execute(
      `UPDATE stored_blobs SET due_at = now() + make_interval(secs => ${LEASE_SECONDS})
       WHERE project_id = $1 AND id = $2 AND state = 'writing' AND due_at > now()`,
      [projectId, id],
    );
    return changed > 0;
  }

  /**
   * Adds bytes to the size of a blob when more have arrived than were reserved.
   * @returns false when the lease is lost
   */
  async grow({ projectId }: ProjectScope, id: string, bytes: number, tx: Db): Promise<boolean> {
    const changed = await this.database.execute(
      `UPDATE stored_blobs SET size = size + $3 WHERE project_id = $1 AND id = $2 AND state = 'writing'`,
      [projectId, id, bytes],
      tx,
    );
    return changed > 0;
  }

  /**
   * Marks a blob as `live`: the store has all of it durably.
   * @returns the bytes that were reserved for the blob; null when the lease is lost
   */
  async settle({ projectId }: ProjectScope, id: string, size: number, tx: Db): Promise<number | null> {
    const [row] = await this.database.rows<{ reserved: number }>(
      `UPDATE stored_blobs b SET state = 'live', due_at = NULL, size = $3
       FROM (SELECT id, size FROM stored_blobs WHERE project_id = $1 AND id = $2 FOR UPDATE) was
       WHERE b.project_id = $1 AND b.id = was.id AND b.state = 'writing'
       RETURNING was.size::float8 AS reserved`,
      [projectId, id, size],
      tx,
    );
    return row?.reserved ?? null;
  }

  /** Marks a blob as `doomed`, because no object uses it any more. */
  async doom({ projectId }: ProjectScope, id: string, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE stored_blobs SET state = 'doomed', due_at = now() + make_interval(secs => ${LAST_READERS_SECONDS})
       WHERE project_id = $1 AND id = $2`,
      [projectId, id],
      tx,
    );
  }

  /**
   * Gives up a blob that will not be finished: gives back its reservation and marks it for removal from the store. A
   * blob that was given up before is marked again, because bytes may have been written since.
   */
  async abandon(
    { organizationId, projectId }: ProjectScope,
    { id, driver }: Pick<NewBlob, 'id' | 'driver'>,
  ): Promise<void> {
    const [row] = await this.database.rows<{ gone: number }>(
      `WITH gone AS (
         UPDATE stored_blobs SET state = 'doomed', due_at = now()
         WHERE project_id = $1 AND id = $2 AND state = 'writing' RETURNING organization_id, size),
       ${GIVEN_BACK}
       SELECT count(*)::int AS gone FROM gone`,
      [projectId, id],
    );
    if (row?.gone === 1) return;
    await this.database.execute(
      `INSERT INTO stored_blobs AS b (id, organization_id, project_id, size, state, driver, due_at)
       VALUES ($1, $2, $3, 0, 'doomed', $4, now())
       ON CONFLICT (id) DO UPDATE SET due_at = now() WHERE b.state = 'doomed'`,
      [id, organizationId, projectId, driver],
    );
  }

  /**
   * Does the same as {@link abandon} for several blobs that will not be finished.
   * @param seconds the delay of the removal, within which writers notice that they have lost the lease
   */
  async abandonAll(ids: readonly string[], seconds: number, tx: Db): Promise<void> {
    await this.database.execute(
      `WITH /* every tenant: what held rows of uploads name */ gone AS (
         UPDATE stored_blobs SET state = 'doomed', due_at = now() + make_interval(secs => $2)
         WHERE id IN (
           SELECT id FROM stored_blobs WHERE id = ANY($1::uuid[]) AND state = 'writing' ORDER BY id FOR UPDATE)
         RETURNING organization_id, size),
       ${GIVEN_BACK}
       SELECT FROM gone`,
      [ids, seconds],
      tx,
    );
  }

  /** Does the same as {@link abandonAll} for a deleted project. */
  async abandonOf(projectId: ProjectId, seconds: number, tx: Db): Promise<void> {
    await this.database.execute(
      `WITH gone AS (
         UPDATE stored_blobs SET state = 'doomed', due_at = now() + make_interval(secs => $2)
         WHERE id IN (
           SELECT id FROM stored_blobs WHERE project_id = $1 AND state = 'writing' ORDER BY id FOR UPDATE)
         RETURNING organization_id, size),
       ${GIVEN_BACK}
       SELECT FROM gone`,
      [projectId, seconds],
      tx,
    );
  }

  /** Does the same as {@link abandon} for blobs whose writer has died. @returns the number of these blobs */
  async abandonStale(limit: number): Promise<number> {
    const [row] = await this.database.rows<{ gone: number }>(
      `WITH /* every tenant: writers that are gone */ gone AS (
         UPDATE stored_blobs SET state = 'doomed', due_at = now()
         WHERE id IN (
           SELECT id FROM stored_blobs WHERE state = 'writing' AND due_at <= now()
           ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
         RETURNING organization_id, size),
       ${GIVEN_BACK}
       SELECT count(*)::int AS gone FROM gone`,
      [limit],
    );
    return row?.gone ?? 0;
  }

  /**
   * Claims some blobs that must be removed from the store, regardless of the store that they were first written to. No
   * other sweep claims them for `SWEEP_SECONDS`.
   */
  async takeDoomed(limit: number): Promise<DoomedBlob[]> {
    return this.database.rows<DoomedBlob>(
      `UPDATE /* every tenant: what the store is to forget */ stored_blobs
       SET due_at = now() + make_interval(secs => ${SWEEP_SECONDS})
       WHERE id IN (
         SELECT id FROM stored_blobs WHERE state = 'doomed' AND due_at <= now()
         ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
       RETURNING id, upload_token AS "uploadToken"`,
      [limit],
    );
  }

  /**
   * Deletes the rows of blobs that the store has removed. A blob that was written to after it was claimed is due again,
   * and its row stays.
   */
  async forget(ids: readonly string[]): Promise<void> {
    await this.database.execute(
      `DELETE /* every tenant: what the store has forgotten */ FROM stored_blobs
       WHERE id = ANY($1::uuid[]) AND state = 'doomed' AND due_at > now()`,
      [ids],
    );
  }

  /** Returns the bytes by state from the totals. Of the blobs, only the `doomed` ones are read. */
  async bytesByState(): Promise<{ readonly state: string; readonly bytes: number }[]> {
    return this.database.rows(
      `SELECT /* every tenant: what operators watch */ 'live' AS state, coalesce(sum(stored), 0)::float8 AS bytes
       FROM storage_totals
       UNION ALL SELECT 'writing', coalesce(sum(reserved), 0)::float8 FROM storage_totals
       UNION ALL SELECT 'doomed', coalesce(sum(size), 0)::float8 FROM stored_blobs
         WHERE state = 'doomed' AND due_at IS NOT NULL`,
    );
  }

  /** Returns the ids of blobs that the store holds, but that have no row. */
  async strangersAmong(ids: readonly string[]): Promise<string[]> {
    const rows = await this.database.rows<{ id: string }>(
      `SELECT /* every tenant: what the store holds */ id FROM unnest($1::uuid[]) AS id
       WHERE NOT EXISTS (SELECT FROM stored_blobs b WHERE b.id = id.id)`,
      [ids],
    );
    return rows.map(({ id }) => id);
  }
}
