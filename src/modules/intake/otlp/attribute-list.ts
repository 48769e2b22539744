import { MAX_ATTRIBUTES } from './limits.js';
import { setMember } from '../core/index.js';
import type { AttributeList, OtlpValue } from './records.js';

/** Adds an attribute, or counts it as left out beyond the limit. */
export function addAttribute(list: AttributeList, name: string, value: OtlpValue): void {
  if (list.count >= MAX_ATTRIBUTES) {
    list.dropped += 1;
    return;
  }
  list.count += 1;
  setMember(list.attributes, name, value);
}

/** Returns a double as a JSON value: NaN and the infinities as text. */
export function doubleValue(double: number): number | string {
  return Number.isFinite(double) ? double : String(double);
}
