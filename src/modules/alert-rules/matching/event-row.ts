import type { EventField, FilterSubject } from '../../alert-conditions/index.js';

/** An event as it is matched. */
export interface EventRow {
  readonly id: string;
  readonly timestamp: Date;
  readonly event: string;
  readonly source: string;
  readonly source_id: string | null;
  readonly severity: string | null;
  readonly status: string | null;
  readonly environment: string | null;
  readonly message: string | null;
  readonly external_event_id: string | null;
  readonly log_method: string;
  readonly log_endpoint: string;
  readonly log_status: number;
  /** Null: the event carries none. */
  readonly log_latency_ms: number | null;
  /** Null: nobody asked for them. */
  readonly properties: Readonly<Record<string, unknown>> | null;
  /** When the event was accepted. */
  readonly accepted_at: Date;
}

/** The columns of an {@link EventRow} but `accepted_at`, of a row of `events` called `e`. */
export function eventColumns(withProperties: boolean): string {
  return `e.id, e."timestamp", e.event, e.source, e.source_id, e.severity, e.status, e.environment, e.message,
    e.external_event_id, e.log_method, e.log_endpoint, e.log_status,
    CASE WHEN e.log_has_latency THEN e.log_latency_ms END AS log_latency_ms,
    ${withProperties ? 'e.properties' : 'NULL::jsonb AS properties'}`;
}

export function subjectOf(
  row: EventRow,
): FilterSubject & { readonly fields: Record<EventField, string | number | null> } {
  return {
    fields: {
      event: row.event,
      source: row.source,
      source_id: row.source_id,
      severity: row.severity,
      status: row.status,
      environment: row.environment,
      message: row.message,
      external_event_id: row.external_event_id,
      'log.method': row.log_method,
      'log.endpoint': row.log_endpoint,
      'log.status': row.log_status,
      'log.latency_ms': row.log_latency_ms,
    },
    properties: row.properties ?? {},
  };
}
