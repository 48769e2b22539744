import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { SLOTS } from '../../../../platform/storage/index.js';
import { LEASE_SECONDS } from '../blobs/blobs.repository.js';

/** A part that is being written. Only its writer may use the slot while the lease lasts. */
export interface PartClaim {
  readonly uploadId: string;
  readonly number: number;
  readonly slot: number;
  readonly writer: string;
}

/** A part that the store has completely. */
export interface CompletePart {
  readonly number: number;
  readonly slot: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
  readonly token: string;
}

/** Restricts a statement to the parts of an upload of the project. */
const OF_UPLOAD = `upload_id = (SELECT id FROM object_uploads WHERE project_id = $1 AND id = $2)`;

/**
 * Stores the parts of uploads. A part that is sent again is written to another slot. It replaces the earlier one in the
 * transaction in which it becomes complete.
 */
@Injectable()
export class UploadPartsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Claims a free slot. The slot of a dead writer is free too, except the first slot. There, all parts are written to
   * one file, so a writer that only seemed dead would overwrite a complete part.
   * @returns null when other writers use all slots
   */
  async claim(
    { projectId }: ProjectScope,
    { uploadId, number, writer }: Omit<PartClaim, 'slot'>,
    tx: Db,
  ): Promise<PartClaim | null> {
    await this.database.execute(
      `DELETE FROM object_upload_parts
       WHERE ${OF_UPLOAD} AND part_number = $3 AND slot > 0 AND state = 'writing' AND lease_expires_at <= now()`,
      [projectId, uploadId, number],
      tx,
    );
    for (let tries = 0; tries < SLOTS; tries += 1) {
      const [row] = await this.database.rows<{ slot: number }>(
        `INSERT INTO object_upload_parts (upload_id, part_number, slot, state, writer, lease_expires_at)
         SELECT u.id, $3, free.slot, 'writing', $4, now() + make_interval(secs => ${LEASE_SECONDS})
         FROM object_uploads u CROSS JOIN generate_series(0, ${SLOTS - 1}) AS free(slot)
         WHERE u.project_id = $1 AND u.id = $2 AND NOT EXISTS (
           SELECT FROM object_upload_parts p
           WHERE p.upload_id = u.id AND p.part_number = $3 AND p.slot = free.slot)
         ORDER BY free.slot LIMIT 1
         ON CONFLICT DO NOTHING RETURNING slot`,
        [projectId, uploadId, number, writer],
        tx,
      );
      if (row !== undefined) return { uploadId, number, slot: row.slot, writer };
    }
    return null;
  }

  /** @returns false when the right to write is lost */
  async prolong({ projectId }: ProjectScope, { uploadId, number, slot, writer }: PartClaim): Promise<boolean> {
    const changed = await this.database.execute(
      `UPDATE object_upload_parts SET lease_expires_at = now() + make_interval(secs => ${LEASE_SECONDS})
       WHERE ${OF_UPLOAD} AND part_number = $3 AND slot = $4 AND writer = $5 AND state = 'writing'
         AND lease_expires_at > now()`,
      [projectId, uploadId, number, slot, writer],
    );
    return changed > 0;
  }

  /** Frees the slot of a part that was not completed. */
  async release({ projectId }: ProjectScope, { uploadId, number, slot, writer }: PartClaim): Promise<void> {
    await this.database.execute(
      `DELETE FROM object_upload_parts
       WHERE ${OF_UPLOAD} AND part_number = $3 AND slot = $4 AND writer = $5 AND state = 'writing'`,
      [projectId, uploadId, number, slot, writer],
    );
  }

  /**
   * Marks a part as complete: the store has it durably, and it replaces the earlier one.
   * @returns false when the right to write is lost, else the parts that were replaced
   */
  async finish(
    { projectId }: ProjectScope,
    { uploadId, number, slot, writer }: PartClaim,
    { sha256, token }: Pick<CompletePart, 'sha256' | 'token'>,
    tx: Db,
  ): Promise<false | readonly Pick<CompletePart, 'slot' | 'token'>[]> {
    // Two writers that finish at once do so one after another.
    await this.database.rows(
      `SELECT slot FROM object_upload_parts WHERE ${OF_UPLOAD} AND part_number = $3 ORDER BY slot FOR UPDATE`,
      [projectId, uploadId, number],
      tx,
    );
    const replaced = await this.database.rows<Pick<CompletePart, 'slot' | 'token'>>(
      `DELETE FROM object_upload_parts WHERE ${OF_UPLOAD} AND part_number = $3 AND state = 'complete'
         AND EXISTS (SELECT FROM object_upload_parts m WHERE m.upload_id = $2 AND m.part_number = $3 AND m.slot = $4
                       AND m.writer = $5 AND m.state = 'writing')
       RETURNING slot, token`,
      [projectId, uploadId, number, slot, writer],
      tx,
    );
    const changed = await this.database.execute(
      `UPDATE object_upload_parts SET state = 'complete', sha256 = $6, token = $7
       WHERE ${OF_UPLOAD} AND part_number = $3 AND slot = $4 AND writer = $5 AND state = 'writing'`,
      [projectId, uploadId, number, slot, writer, sha256, token],
      tx,
    );
    return changed > 0 && replaced;
  }

  /** Returns the complete parts in their order. */
  complete({ projectId }: ProjectScope, uploadId: string, tx: Db): Promise<CompletePart[]> {
    return this.database.rows<CompletePart>(
      `SELECT part_number AS number, slot, sha256, token FROM object_upload_parts
       WHERE ${OF_UPLOAD} AND state = 'complete' ORDER BY part_number`,
      [projectId, uploadId],
      tx,
    );
  }

  /**
   * Revokes the right to write of all writers.
   * @returns whether a writer may still be writing to the first slot, in which complete parts are stored
   */
  async revoke({ projectId }: ProjectScope, uploadId: string, tx: Db): Promise<boolean> {
    const rows = await this.database.rows<{ slot: number }>(
      `DELETE FROM object_upload_parts WHERE ${OF_UPLOAD} AND state = 'writing' RETURNING slot`,
      [projectId, uploadId],
      tx,
    );
    return rows.some(({ slot }) => slot === 0);
  }

  async removeAll({ projectId }: ProjectScope, uploadId: string, tx: Db): Promise<void> {
    await this.database.execute(`DELETE FROM object_upload_parts WHERE ${OF_UPLOAD}`, [projectId, uploadId], tx);
  }
}
