import type { EventField, FilterSubject } from '../../alert-conditions/index.js';

/** What an alert tells of the event that set it off. */
export interface ToldEvent {
  readonly id: string;
  readonly timestamp: Date;
  readonly event: string;
  readonly source: string;
  /** The Event Source; null: none sent it. */
  readonly source_id: string | null;
  readonly message: string | null;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The columns of a {@link ToldEvent}, of a row of `events` called `e`. */
export const TOLD_COLUMNS = 'e.id, e."timestamp", e.event, e.source, e.source_id, e.message, e.properties';

/** An event with everything that filters may look at. */
export interface EventRow extends ToldEvent {
  readonly severity: string | null;
  readonly status: string | null;
  readonly environment: string | null;
  readonly external_event_id: string | null;
  readonly log_method: string;
  readonly log_endpoint: string;
  readonly log_status: number;
  /** Null: the event carries none. */
  readonly log_latency_ms: number | null;
}

/** The columns of an {@link EventRow}, of a row of `events` called `e`. */
export const EVENT_COLUMNS = `${TOLD_COLUMNS}, e.severity, e.status, e.environment, e.external_event_id,
  e.log_method, e.log_endpoint, e.log_status, CASE WHEN e.log_has_latency THEN e.log_latency_ms END AS log_latency_ms`;

export function subjectOf(row: EventRow): FilterSubject & { readonly fields: Record<EventField, unknown> } {
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
    properties: row.properties,
  };
}
