import { Injectable } from '@nestjs/common';
import type { ProjectId, ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';

/** A blob is written under a lease that is prolonged while its bytes come. */
export const LEASE_SECONDS = 20;
/** Answers that are being sent when their content is replaced or deleted have so long to end. */
const LAST_READERS_SECONDS = 15 * 60;
/** A sweep that dies leaves what it took to another after so long. */
const SWEEP_SECONDS = 300;

/** Of what is in `gone`. Whoever gives back for several organizations does so in one order. */
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
  /** Reserved; what is not known yet is added as it comes. */
  readonly size: number;
  /** Of the store that it is written to; should it move, it is asked of the new one. */
  readonly driver: string;
}

export interface DoomedBlob {
  readonly id: string;
  readonly uploadToken: string | null;
}

/**
 * What the store holds, or may hold: the row is there before the first byte and goes after the last. `writing` under a
 * lease, `live` while an object has it, `doomed` until it is removed from the store.
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

  /** It comes in parts, until then. @returns false when the lease is lost */
  async comesInParts({ projectId }: ProjectScope, id: string, token: string, until: Date, tx: Db): Promise<boolean> {
    const changed = await this.database.execute(
      `UPDATE stored_blobs SET upload_token = $3, due_at = $4
       WHERE project_id = $1 AND id = $2 AND state = 'writing' AND due_at > now()`,
      [projectId, id, token, until],
      tx,
    );
    return changed > 0;
  }

  /** What the store calls the upload of a blob that comes in parts. */
  async uploadToken({ projectId }: ProjectScope, id: string, db?: Db): Promise<string | null> {
    const [row] = await this.database.rows<{ token: string | null }>(
      'SELECT upload_token AS token FROM stored_blobs WHERE project_id = $1 AND id = $2',
      [projectId, id],
      db,
    );
    return row?.token ?? null;
  }

  /** @returns false when the lease is lost: nothing that is written from then on counts */
  async prolong({ projectId }: ProjectScope, id: string): Promise<boolean> {
    const changed = await this.database.execute(
      `UPDATE stored_blobs SET due_at = now() + make_interval(secs => ${LEASE_SECONDS})
       WHERE project_id = $1 AND id = $2 AND state = 'writing' AND due_at > now()`,
      [projectId, id],
    );
    return changed > 0;
  }

  /** More of it has come than was reserved. @returns false when the lease is lost */
  async grow({ projectId }: ProjectScope, id: string, bytes: number, tx: Db): Promise<boolean> {
    const changed = await this.database.execute(
      `UPDATE stored_blobs SET size = size + $3 WHERE project_id = $1 AND id = $2 AND state = 'writing'`,
      [projectId, id, bytes],
      tx,
    );
    return changed > 0;
  }

  /** All of it is in the store, durably. @returns what was reserved for it; null when the lease is lost */
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

  /** No object has it any more. */
  async doom({ projectId }: ProjectScope, id: string, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE stored_blobs SET state = 'doomed', due_at = now() + make_interval(secs => ${LAST_READERS_SECONDS})
       WHERE project_id = $1 AND id = $2`,
      [projectId, id],
      tx,
    );
  }

  /**
   * It will not be finished: what was reserved is given back, and the store is to forget it. So it is, once more, where
   * others have given it up before: what was written after they had may be there still.
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
   * As {@link abandon}, for several that nobody is to go on with.
   * @param seconds that those who still write have to notice
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

  /** As {@link abandonAll}, for a project that is deleted. */
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

  /** As {@link abandon}, for those whose writer has died. @returns how many */
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

  /** Some that the store is to forget, wherever they were written first; kept from others for a while. */
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

  /** The store has forgotten them, but for those that were written to after they were taken: they are due again. */
  async forget(ids: readonly string[]): Promise<void> {
    await this.database.execute(
      `DELETE /* every tenant: what the store has forgotten */ FROM stored_blobs
       WHERE id = ANY($1::uuid[]) AND state = 'doomed' AND due_at > now()`,
      [ids],
    );
  }

  /** From what is counted anyway; of the blobs only those are read that are to go. */
  async bytesByState(): Promise<{ readonly state: string; readonly bytes: number }[]> {
    return this.database.rows(
      `SELECT /* every tenant: what operators watch */ 'live' AS state, coalesce(sum(stored), 0)::float8 AS bytes
       FROM storage_totals
       UNION ALL SELECT 'writing', coalesce(sum(reserved), 0)::float8 FROM storage_totals
       UNION ALL SELECT 'doomed', coalesce(sum(size), 0)::float8 FROM stored_blobs
         WHERE state = 'doomed' AND due_at IS NOT NULL`,
    );
  }

  /** Which of these nobody knows: what the store holds without a row. */
  async strangersAmong(ids: readonly string[]): Promise<string[]> {
    const rows = await this.database.rows<{ id: string }>(
      `SELECT /* every tenant: what the store holds */ id FROM unnest($1::uuid[]) AS id
       WHERE NOT EXISTS (SELECT FROM stored_blobs b WHERE b.id = id.id)`,
      [ids],
    );
    return rows.map(({ id }) => id);
  }
}
