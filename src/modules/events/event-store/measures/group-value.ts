import { ExactNumber } from '../../../../platform/json/index.js';

/** The value of a field that events are grouped by. Null when the value is missing or not a scalar. */
export type GroupValue = string | number | boolean | null;

/** Two texts belong to one group when this many first characters are equal. */
export const MAX_GROUP_TEXT = 200;

/** Returns the value that an event is grouped by. A number with more digits than a double holds becomes a text. */
export function groupValueOf(value: unknown): GroupValue {
  if (typeof value === 'string')
    return value.length <= MAX_GROUP_TEXT ? value : [...value].slice(0, MAX_GROUP_TEXT).join('');
  if (value instanceof ExactNumber) return value.canonical().slice(0, MAX_GROUP_TEXT);
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
