/** Tables of event rows, and those that say which of them are kept, hot, cold, copied or on their way to be copied. */
export const EVENT_ROWS = [
  'cold_months',
  'event_retention',
  'event_shipments',
  'event_shipping',
  'events',
  'events_default',
  'hot_events',
];

/** What events add up to, and what waits for alert rules: kept with them, and read elsewhere, too. */
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
  'event_watches',
  'hour_rollups',
  'latency_hours',
  'source_days',
];
