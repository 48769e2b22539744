import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';

/** Removes stored idempotency records. The function `ingest_events` writes them. */
@Injectable()
export class IdempotencyRecordsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Deletes the oldest of the records that are more than 24 hours old. @returns how many were removed, at most `limit`
   */
  removeExpired(limit: number): Promise<number> {
    return this.database.execute(
      `DELETE FROM idempotency_records WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM idempotency_records WHERE created_at < now() - interval '24 hours'
         ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
      [limit],
    );
  }
}
