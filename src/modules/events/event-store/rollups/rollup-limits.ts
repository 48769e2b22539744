/** Longer endpoints and methods are cut in rollups, and cannot be used as a filter. */
export const MOST_NAME_CHARACTERS = 2_000;
/**
 * An item keeps at most this many failed statuses, those with the most requests. An event can have any integer as its
 * status.
 */
export const MOST_KEPT_STATUSES = 200;
