import { MAX_ATTRIBUTES, MAX_NESTED_VALUES } from './limits.js';
import { setMember } from '../core/index.js';
import type { AttributeList, OtlpValue } from './records.js';

/** Adds an attribute. Beyond `MAX_ATTRIBUTES`, it is counted as dropped instead. */
export function addAttribute(list: AttributeList, name: string, value: OtlpValue): void {
  if (list.count >= MAX_ATTRIBUTES) {
    list.dropped += 1;
    return;
  }
  list.count += 1;
  setMember(list.attributes, name, value);
}

/**
 * Counts a value in a list or map of `owner`, and returns whether it may be read. Beyond `MAX_NESTED_VALUES`, it counts
 * as dropped and must be skipped.
 */
export function mayNest(owner: AttributeList): boolean {
  if (owner.nested < MAX_NESTED_VALUES) {
    owner.nested += 1;
    return true;
  }
  owner.dropped += 1;
  return false;
}

/** Returns a double as a JSON value. NaN and the infinities become text. */
export function doubleValue(double: number): number | string {
  return Number.isFinite(double) ? double : String(double);
}
