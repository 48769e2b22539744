import { Injectable } from '@nestjs/common';
import { projectOf, type ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { LEASE_SECONDS } from '../blobs/blobs.repository.js';
import { UploadNotFound } from '../storage.errors.js';
import { ObjectUpload } from './object-upload.entity.js';

export type NewUpload = Pick<
  ObjectUpload,
  | 'id'
  | 'blobId'
  | 'key'
  | 'size'
  | 'contentType'
  | 'metadata'
  | 'overwrite'
  | 'partSize'
  | 'partCount'
  | 'createdBy'
  | 'createdAt'
  | 'expiresAt'
>;

/** An upload with the state that follows from the database's clock. */
export type SeenUpload = ObjectUpload & {
  /** Whether a request is completing the upload at the moment. */
  readonly isClaimed: boolean;
  readonly isExpired: boolean;
};

export type SignedUpload = SeenUpload & { readonly isArchived: boolean };

const SEEN = `u.id, u.project_id AS "projectId", u.organization_id AS "organizationId", u.blob_id AS "blobId", u.key,
  u.size::float8 AS size, u.content_type AS "contentType", u.metadata, u.overwrite, u.part_size::float8 AS "partSize",
  u.part_count AS "partCount", u.status, u.claim, u.claim_expires_at AS "claimExpiresAt", u.assembled_at AS "assembledAt",
  u.object_id AS "objectId", u.created_by AS "createdBy", u.created_at AS "createdAt", u.expires_at AS "expiresAt",
  coalesce(u.claim_expires_at > now(), false) AS "isClaimed", u.expires_at <= now() AS "isExpired"`;

@Injectable()
export class UploadsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns the number of open uploads. Requests that count and then begin an upload run one after another in a
   * project.
   */
  async countOpen({ projectId }: ProjectScope, tx: Db): Promise<number> {
    await this.database.rows(
      `SELECT pg_advisory_xact_lock(hashtextextended('open uploads of ' || $1, 0))`,
      [projectId],
      tx,
    );
    const [row] = await this.database.rows<{ open: number }>(
      `SELECT count(*)::int AS open FROM object_uploads
       WHERE project_id = $1 AND status = 'open' AND expires_at > now()`,
      [projectId],
      tx,
    );
    return row?.open ?? 0;
  }

  async insert({ projectId, organizationId }: ProjectScope, upload: NewUpload, tx: Db): Promise<void> {
    await this.database.repository(ObjectUpload, tx).insert({ ...upload, projectId, organizationId, status: 'open' });
  }

  /** Returns an upload of a project that is not deleted, for a request with a signed URL of a part. */
  async findSigned(id: string): Promise<SignedUpload | null> {
    const [row] = await this.database.rows<SignedUpload>(
      `SELECT ${SEEN}, p.archived_at IS NOT NULL AS "isArchived" FROM object_uploads u JOIN projects p ON p.id = u.project_id /* tenant: the signature names it */
       WHERE u.id = $1 AND p.deleted_at IS NULL`,
      [id],
    );
    return row ?? null;
  }

  /**
   * Locks the upload's row.
   * @param alone false admits other requests that write parts of the upload at the same time
   */
  async lock({ projectId }: ProjectScope, id: string, alone: boolean, tx: Db): Promise<SeenUpload | null> {
    const [row] = await this.database.rows<SeenUpload>(
      `SELECT ${SEEN} FROM object_uploads u WHERE u.project_id = $1 AND u.id = $2 ${alone ? 'FOR UPDATE' : 'FOR SHARE'}`,
      [projectId, id],
      tx,
    );
    return row ?? null;
  }

  /** Grants the right to complete the upload. */
  async claim({ projectId }: ProjectScope, id: string, claim: string, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE object_uploads SET claim = $3, claim_expires_at = now() + make_interval(secs => ${LEASE_SECONDS})
       WHERE project_id = $1 AND id = $2`,
      [projectId, id, claim],
      tx,
    );
  }

  /** @returns false when another request may have the right by now */
  async prolong({ projectId }: ProjectScope, id: string, claim: string): Promise<boolean> {
    const changed = await this.database.execute(
      `UPDATE object_uploads SET claim_expires_at = now() + make_interval(secs => ${LEASE_SECONDS})
       WHERE project_id = $1 AND id = $2 AND claim = $3 AND claim_expires_at > now()`,
      [projectId, id, claim],
    );
    return changed > 0;
  }

  async release({ projectId }: ProjectScope, id: string, claim: string): Promise<void> {
    await this.database.execute(
      `UPDATE object_uploads SET claim = NULL, claim_expires_at = NULL WHERE project_id = $1 AND id = $2 AND claim = $3`,
      [projectId, id, claim],
    );
  }

  /** Records that the store has joined the parts, so none of them can be sent again. */
  async markAssembled({ projectId }: ProjectScope, id: string, claim: string): Promise<void> {
    await this.database.execute(
      `UPDATE object_uploads SET assembled_at = now() WHERE project_id = $1 AND id = $2 AND claim = $3`,
      [projectId, id, claim],
    );
  }

  /** Marks the upload as completed. The caller holds the row and the claim. */
  async complete({ projectId }: ProjectScope, id: string, objectId: string, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE object_uploads SET status = 'completed', object_id = $3, claim = NULL, claim_expires_at = NULL
       WHERE project_id = $1 AND id = $2`,
      [projectId, id, objectId],
      tx,
    );
  }

  /** Removes uploads with their parts. */
  async remove(uploads: readonly Pick<SeenUpload, 'id'>[], tx: Db): Promise<void> {
    await this.database.execute(
      `DELETE /* every tenant: rows that were found by their project or end, and are held */ FROM object_uploads
       WHERE id = ANY($1::uuid[])`,
      [uploads.map(({ id }) => id)],
      tx,
    );
  }

  /**
   * Returns some uploads that have expired, and locks them until the transaction ends. Uploads that a request is
   * completing are left out.
   */
  async expired(limit: number, tx: Db): Promise<SeenUpload[]> {
    return this.database.rows<SeenUpload>(
      `SELECT /* every tenant: what has expired */ ${SEEN} FROM object_uploads u
       WHERE u.expires_at <= now() AND (u.claim_expires_at IS NULL OR u.claim_expires_at <= now())
       ORDER BY u.expires_at LIMIT $1 FOR UPDATE SKIP LOCKED`,
      [limit],
      tx,
    );
  }

  /** Returns some uploads of a deleted project, and locks them until the transaction ends. */
  async some({ projectId }: Pick<ProjectScope, 'projectId'>, limit: number, tx: Db): Promise<SeenUpload[]> {
    return this.database.rows<SeenUpload>(
      `SELECT ${SEEN} FROM object_uploads u WHERE u.project_id = $1 LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [projectId, limit],
      tx,
    );
  }
}

export class ProjectOfUpload extends projectOf('upload_id', ObjectUpload, UploadNotFound) {}
