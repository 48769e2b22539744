/** The value of a field that events are grouped by; null where it is missing or no scalar. */
export type GroupValue = string | number | boolean | null;

/** Characters of a text that tell groups apart. */
export const MAX_GROUP_TEXT = 200;
