/**
 * The tables of event rows, and the tables that record which events are retained, hot, archived, replicated or queued
 * for replication.
 */
export const EVENT_ROWS = [
  'cold_months',
  'event_retention',
  'event_shipments',
  'event_shipping',
  'events',
  'events_default',
  'hot_events',
];

/**
 * The counters of events and the queue for alert rules. They are stored with the events and are also read elsewhere.
 */
export const EVENT_COUNTERS = [
  'day_rollups',
  'endpoint_days',
  'endpoint_hours',
  'event_facet_days',
  'event_facet_hours',
  'event_hours',
  'event_match_marks',
  'event_outbox',
  'event_series_hours',
  'event_traces',
  'event_watches',
  'hour_rollups',
  'latency_hours',
  'source_days',
  'unique_events',
];
