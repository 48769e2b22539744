import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../platform/access/index.js';
import { Database } from '../../platform/database/database.js';
import type { NormalizedEvent } from './normalized-event.js';

/** The write side of the events table: plain SQL, one round trip. */
@Injectable()
export class EventsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Stores one event and counts it in `usage_daily` by the UTC day of acceptance, in one statement and so in
   * one transaction: the rows and their count can never differ.
   */
  async insert(
    scope: ProjectScope & { apiKeyId: string | null; sourceId: string | null },
    event: NormalizedEvent,
    at: Date,
  ): Promise<void> {
    await this.database.execute(
      `WITH stored AS (
         INSERT INTO events (project_id, "timestamp", id, source_id, api_key_id, event, source, severity, status,
                             environment, message, external_event_id, properties, log_method, log_endpoint,
                             log_status, log_latency_ms, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
         RETURNING project_id, api_key_id
       )
       INSERT INTO usage_daily (day, project_id, api_key_id, events_ingested)
       SELECT (now() AT TIME ZONE 'UTC')::date, project_id, api_key_id, 1 FROM stored
       ON CONFLICT ON CONSTRAINT uq_usage_daily_identity
       DO UPDATE SET events_ingested = usage_daily.events_ingested + 1, updated_at = now()`,
      [
        scope.projectId,
        event.timestamp,
        event.id,
        scope.sourceId,
        scope.apiKeyId,
        event.event,
        event.source,
        event.severity,
        event.status,
        event.environment,
        event.message,
        event.externalEventId,
        JSON.stringify(event.properties),
        event.log.method,
        event.log.endpoint,
        event.log.status,
        event.log.latencyMs,
        at,
      ],
    );
  }

  /** Oldest first, over all partitions. @returns how many were removed, at most `limit` */
  removeOldest(projectId: string, limit: number): Promise<number> {
    return this.database.execute(
      `DELETE FROM events e
       USING (SELECT "timestamp", id FROM events WHERE project_id = $1 ORDER BY "timestamp", id LIMIT $2) oldest
       WHERE e.project_id = $1 AND e."timestamp" = oldest."timestamp" AND e.id = oldest.id`,
      [projectId, limit],
    );
  }
}
