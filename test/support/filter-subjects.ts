import type { EventField, FilterSubject } from '../../src/modules/alerting/conditions/index.js';
import { TOLD_COLUMNS, type ToldEvent } from '../../src/modules/alerting/rules/matching/event-row.js';

/** An event with everything that filters may look at. */
export interface WholeEvent extends ToldEvent {
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

/** The columns of a {@link WholeEvent}, of a row of `events` called `e`. */
export const WHOLE_COLUMNS = `${TOLD_COLUMNS}, e.severity, e.status, e.environment, e.external_event_id,
  e.log_method, e.log_endpoint, e.log_status, CASE WHEN e.log_has_latency THEN e.log_latency_ms END AS log_latency_ms`;

export function subjectOf(event: WholeEvent): FilterSubject & { readonly fields: Record<EventField, unknown> } {
  return {
    fields: {
      event: event.event,
      source: event.source,
      source_id: event.source_id,
      severity: event.severity,
      status: event.status,
      environment: event.environment,
      message: event.message,
      external_event_id: event.external_event_id,
      'log.method': event.log_method,
      'log.endpoint': event.log_endpoint,
      'log.status': event.log_status,
      'log.latency_ms': event.log_latency_ms,
    },
    properties: event.properties,
  };
}
