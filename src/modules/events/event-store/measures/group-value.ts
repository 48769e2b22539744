import { ExactNumber } from '../../../../platform/json/index.js';

/** The value of a field that events are grouped by; null where it is missing or no scalar. */
export type GroupValue = string | number | boolean | null;

/** Characters of a text that tell groups apart. */
export const MAX_GROUP_TEXT = 200;

/** A value as events are grouped by it; a number with more digits than a double holds as text. */
export function groupValueOf(value: unknown): GroupValue {
  if (typeof value === 'string')
    return value.length <= MAX_GROUP_TEXT ? value : [...value].slice(0, MAX_GROUP_TEXT).join('');
  if (value instanceof ExactNumber) return value.canonical().slice(0, MAX_GROUP_TEXT);
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
