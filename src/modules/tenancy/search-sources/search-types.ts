/** The types of search hits. Of hits with equal scores, hits of an earlier type come first. */
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

/** The kinds of saved views. A hit that is a saved view has its kind, so that a client can open the right page. */
export const SAVED_VIEW_KINDS = ['view', 'analysis', 'query', 'performance', 'dashboard'] as const;
export type SavedViewKind = (typeof SAVED_VIEW_KINDS)[number];
