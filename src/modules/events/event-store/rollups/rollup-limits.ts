/** Longer endpoints, and methods, are not kept whole; nor can they be asked for by name. */
export const MOST_NAME_CHARACTERS = 2_000;
/** Failed statuses that an item keeps, those with the most requests: statuses are whatever integers events say. */
export const MOST_KEPT_STATUSES = 200;
