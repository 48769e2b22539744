import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import type { FailureReason } from './failure-reasons.js';
import { Database } from '../../../platform/database/database.js';

/** Counts the refusals of one sender with one reason and status within one UTC hour. */
export interface RecordedFailure {
  /** Null when a webhook was refused. */
  readonly apiKeyId: string | null;
  readonly reasonCode: FailureReason;
  readonly statusCode: number;
  /** The time of the latest refusal. */
  readonly occurredAt: Date;
  readonly requestId: string | null;
  readonly count: number;
}

export interface FailurePage {
  readonly items: RecordedFailure[];
  readonly total: number;
}

/** Reads the refusals that {@link IngestionFailuresRecorder} recorded. */
@Injectable()
export class IngestionFailuresReader {
  constructor(private readonly database: Database) {}

  /** Returns a page of the refusals of a source, newest first. */
  async ofSource(
    { projectId }: Pick<ProjectScope, 'projectId'>,
    sourceId: string,
    { limit, offset }: { readonly limit: number; readonly offset: number },
  ): Promise<FailurePage> {
    const [items, [count]] = await Promise.all([
      this.database.rows<RecordedFailure>(
        `SELECT api_key_id AS "apiKeyId", reason_code AS "reasonCode", status_code AS "statusCode",
                occurred_at AS "occurredAt", request_id AS "requestId", count::float8 AS count
         FROM ingestion_failures WHERE source_id = $1 AND project_id = $2
         ORDER BY hour DESC, occurred_at DESC, api_key_id, reason_code, status_code LIMIT $3 OFFSET $4`,
        [sourceId, projectId, limit, offset],
      ),
      this.database.rows<{ total: number }>(
        'SELECT count(*)::int AS total FROM ingestion_failures WHERE source_id = $1 AND project_id = $2',
        [sourceId, projectId],
      ),
    ]);
    return { items, total: count?.total ?? 0 };
  }

  /**
   * Returns the number of refusals of a source.
   * @param since the start of a UTC hour
   */
  async countOfSource({ projectId }: Pick<ProjectScope, 'projectId'>, sourceId: string, since: Date): Promise<number> {
    const [row] = await this.database.rows<{ failures: number }>(
      `SELECT coalesce(sum(count), 0)::float8 AS failures FROM ingestion_failures
       WHERE source_id = $1 AND project_id = $2 AND hour >= $3`,
      [sourceId, projectId, since],
    );
    return row?.failures ?? 0;
  }
}
