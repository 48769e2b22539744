import { Injectable, Logger } from '@nestjs/common';
import type { ProjectId } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { Database } from '../../../platform/database/database.js';

/** The key that was refused. */
export interface RefusedKey {
  readonly apiKeyId: string;
  readonly projectId: ProjectId;
  readonly sourceId: string | null;
}

export interface IngestionFailure {
  /** A block reason, `daily_limit_exceeded`, `rate_limited`, `source_disabled` or `project_archived`. */
  readonly reasonCode: string;
  readonly statusCode: number;
  readonly requestId: string | null;
}

interface Count extends RefusedKey, IngestionFailure {
  readonly occurredAt: Date;
  readonly count: number;
}

/**
 * Records refused ingestion for the owner of the key (DECISIONS 5), best-effort: a failed write is logged and changes no
 * decision. While one write runs, later refusals are added up and share the next, so a storm costs a few statements.
 */
@Injectable()
export class IngestionFailures {
  private waiting = new Map<string, Count>();
  private writing: Promise<void> | undefined;
  private next: Promise<void> | undefined;
  private readonly logger = new Logger('ingestion-failures');

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Resolves when it has been written, or given up. Never rejects. */
  record(key: RefusedKey, failure: IngestionFailure): Promise<void> {
    const occurredAt = this.clock.now();
    const identity = `${key.apiKeyId} ${failure.reasonCode} ${failure.statusCode}`;
    const count = (this.waiting.get(identity)?.count ?? 0) + 1;
    this.waiting.set(identity, { ...key, ...failure, occurredAt, count });
    if (this.writing === undefined) return (this.writing = this.write());
    return (this.next ??= this.writing.then(() => {
      this.next = undefined;
      return (this.writing = this.write());
    }));
  }

  private async write(): Promise<void> {
    const counts = [...this.waiting.values()].sort((a, b) => (a.apiKeyId < b.apiKeyId ? -1 : 1));
    this.waiting = new Map();
    try {
      if (counts.length === 0) return;
      await this.database.execute(
        `INSERT INTO ingestion_failures
           (api_key_id, hour, reason_code, status_code, project_id, source_id, occurred_at, request_id, count)
         SELECT f.api_key_id, date_trunc('hour', f.occurred_at, 'UTC'), f.reason_code, f.status_code, f.project_id,
                f.source_id, f.occurred_at, f.request_id, f.count
         FROM unnest($1::uuid[], $2::text[], $3::int[], $4::uuid[], $5::uuid[], $6::timestamptz[], $7::text[],
                     $8::bigint[])
           AS f (api_key_id, reason_code, status_code, project_id, source_id, occurred_at, request_id, count)
         JOIN projects p ON p.id = f.project_id
         ORDER BY f.api_key_id, f.reason_code, f.status_code
         ON CONFLICT ON CONSTRAINT pk_ingestion_failures DO UPDATE
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
    } catch (error) {
      this.logger.warn(
        `${counts.length} refused keys were not recorded: ${error instanceof Error ? error.message : 'unknown'}`,
      );
    } finally {
      this.writing = undefined;
    }
  }
}
