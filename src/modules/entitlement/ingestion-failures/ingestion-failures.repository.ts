import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../access/index.js';
import type { FailureReason } from './failure-reasons.js';
import { Database } from '../../../platform/database/database.js';

/** Identifies the sender whose request was refused: an API key, or the webhooks of a source. */
export type RefusedSender = { readonly projectId: ProjectId } & (
  | { readonly apiKeyId: string; readonly sourceId: string | null }
  | { readonly apiKeyId: null; readonly sourceId: string }
);

export interface IngestionFailure {
  readonly reasonCode: FailureReason;
  readonly statusCode: number;
  readonly requestId: string | null;
}

/** Counts equal failures of one sender. */
export type FailureCount = RefusedSender &
  IngestionFailure & {
    /** The time of the latest failure. */
    readonly occurredAt: Date;
    readonly count: number;
  };

/**
 * Stores refused ingestion, counted by sender, reason, status and UTC hour. {@link IngestionFailuresReader} reads the
 * counts.
 */
@Injectable()
export class IngestionFailuresRepository {
  constructor(private readonly database: Database) {}

  /** Adds the counts to those already stored. Counts of a project that has been deleted meanwhile are dropped. */
  async add(counts: readonly FailureCount[]): Promise<void> {
    await this.database.execute(
      `INSERT INTO ingestion_failures
         (api_key_id, hour, reason_code, status_code, project_id, source_id, occurred_at, request_id, count)
       SELECT f.api_key_id, date_trunc('hour', f.occurred_at, 'UTC'), f.reason_code, f.status_code, f.project_id,
              f.source_id, f.occurred_at, f.request_id, f.count
       FROM unnest($1::uuid[], $2::text[], $3::int[], $4::uuid[], $5::uuid[], $6::timestamptz[], $7::text[],
                   $8::bigint[])
         AS f (api_key_id, reason_code, status_code, project_id, source_id, occurred_at, request_id, count)
       JOIN projects p ON p.id = f.project_id /* every tenant: of senders that have identified themselves */
       ORDER BY coalesce(f.api_key_id, f.source_id), f.reason_code, f.status_code
       ON CONFLICT (coalesce(api_key_id, source_id), hour, reason_code, status_code) DO UPDATE
       SET count = ingestion_failures.count + excluded.count,
           occurred_at = greatest(ingestion_failures.occurred_at, excluded.occurred_at),
           request_id = excluded.request_id`,
      [
        counts.map((one) => one.apiKeyId),
        counts.map((one) => one.reasonCode),
        counts.map((one) => one.statusCode),
        counts.map((one) => one.projectId),
        counts.map((one) => one.sourceId),
        counts.map((one) => one.occurredAt),
        counts.map((one) => one.requestId),
        counts.map((one) => one.count),
      ],
    );
  }

  /** Deletes counts that are older than 30 days. @returns the number of deleted rows, at most `limit` */
  forgetOld(limit: number): Promise<number> {
    return this.database.execute(
      `DELETE /* every tenant: what is old */ FROM ingestion_failures WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM ingestion_failures WHERE hour < now() - interval '30 days'
         LIMIT $1 FOR UPDATE SKIP LOCKED))`,
      [limit],
    );
  }
}
