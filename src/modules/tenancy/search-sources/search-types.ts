/** The types of search hits. Among equally good matches, the earlier type comes first. */
export const SEARCH_TYPES = [
  'event',
  'event_type',
  'event_source',
  'api_key',
  'alert_rule',
  'alert_event',
  'alert_destination',
  'delivery_channel',
  'saved_view',
  'object',
  'secret',
  'finding',
] as const;
export type SearchType = (typeof SEARCH_TYPES)[number];
